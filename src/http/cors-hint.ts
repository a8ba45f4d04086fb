/**
 * Returns what may have blocked a request that got no response, as a sentence for a message; empty if a browser has not blocked it.
 * Browsers report a blocked response and a failed connection alike, as a `TypeError` without a cause. Node.js adds a cause.
 *
 * @param url - The address of the request.
 * @param origin - The origin of the page; `undefined` outside of browsers.
 */
export function corsHint(error: unknown, url: string, origin = originOfPage()): string {
  if (origin === undefined || url.startsWith(`${origin}/`) || !isWithoutCause(error)) return "";
  return (
    `. If the node is available, the browser may have blocked its response (CORS): let the node, or a proxy in front of it, allow ` +
    `the origin ${origin} with \`Access-Control-Allow-Origin\`, or send the requests through the server of the page.`
  );
}

function isWithoutCause(error: unknown): boolean {
  try {
    return error instanceof TypeError && error.cause === undefined;
  } catch {
    // A getter threw.
    return false;
  }
}

const originOfPage = () => (globalThis as { location?: { origin?: string } }).location?.origin;
