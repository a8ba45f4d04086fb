import { type Place, refuse, refuseSecret } from "./refuse.js";

/**
 * Checks the address of a node, and returns it without a `/` or `/api/v2` at its end.
 *
 * @throws {@link ArgumentError} if it is not an address that requests can be sent to.
 */
export function readBaseUrl(baseUrl: unknown, place: Place = { argument: "baseUrl" }): string {
  const expected = 'an address such as "https://node.example"';
  // A relative address works in a browser, where the server of a page often forwards requests to a node.
  const page = (globalThis as { location?: { href?: string } }).location?.href;
  const url = parseUrl(baseUrl, page);
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return typeof baseUrl === "string" && !isPlainUrl.test(baseUrl)
      ? refuseSecret(place, `${expected}. The value is not shown, because it may contain credentials`)
      : refuse(place, expected, baseUrl);
  }
  if (url.username !== "" || url.password !== "") {
    refuseSecret(place, "an address without credentials, which `fetch` does not accept. Use `headers`");
  }
  if (url.search !== "" || url.hash !== "") refuseSecret(place, "an address without query and fragment");
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(/(?:\/+api\/+v2)$/, "");
}

/** An optional scheme, a host, an optional port and an optional path. Such an address cannot contain credentials. */
const isPlainUrl = /^(?:[a-z][a-z\d+.-]*:\/\/)?[\w.-]*(?::\d+)?(?:\/[\w./-]*)?$/i;

function parseUrl(value: unknown, base: string | undefined): URL | undefined {
  try {
    return new URL(value as string, base);
  } catch {
    return undefined;
  }
}
