import { ignore } from "../async/item-iterator.js";
import type { SentRequest } from "../errors/index.js";

type Fetch = (request: Request) => Promise<Response>;

const statuses = [301, 302, 303, 307, 308];
const reads = ["GET", "HEAD"];
const mostRedirects = 5;

/**
 * Returns a `fetch` that follows redirects of reads within one origin, and no others: that of the runtime would send a POST again, and
 * all headers but a few to other hosts. Browsers hide where a redirect leads, so that there none is followed.
 */
export const withRedirects =
  (fetch: Fetch): Fetch =>
  async (request) => {
    // Middleware can replace the request.
    let current = request.redirect === "follow" ? new Request(request, { redirect: "manual" }) : request;
    for (let count = 0; ; count++) {
      const response = await fetch(current);
      const target = targetOf(response, current.url);
      const isFollowed = target?.origin === new URL(current.url).origin && reads.includes(current.method);
      if (!isFollowed || count === mostRedirects) return response;
      // Not awaited: a stream may take its time to end. The bodies of node-fetch have no `cancel`.
      response.body?.cancel?.().catch(ignore);
      current = new Request(target, current);
    }
  };

/** The address that a response redirects to. A caller's own `fetch` can return anything, which is refused later. */
function targetOf(response: Partial<Response> | null | undefined, from: string): URL | undefined {
  const location = statuses.includes(response?.status ?? 0) && response?.headers?.get("location");
  return location && URL.canParse(location, from) ? new URL(location, from) : undefined;
}

/** What the caller can do about a redirect that was not followed, as a sentence for a message. */
export function redirectHint(response: Response, { method, url }: SentRequest): string | undefined {
  const direct = "Set `baseUrl` to the address that responds itself.";
  if (response.type === "opaqueredirect") return `It redirects, and browsers hide where to. ${direct}`;
  const from = response.url || url;
  const target = targetOf(response, from);
  if (target === undefined) return undefined;
  const { origin } = new URL(from);
  const isOther = target.origin !== origin;
  const count = !isOther && reads.includes(method) ? ` after ${mostRedirects} others` : "";
  const advice = isOther
    ? `If you trust that address, replace ${origin} with ${target.origin} in \`baseUrl\`.`
    : direct;
  return `It redirects to ${target.href}, which is not followed${count}. ${advice}`;
}
