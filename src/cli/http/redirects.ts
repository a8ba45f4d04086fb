type Fetch = (request: Request) => Promise<Response>;

const statuses = [301, 302, 303, 307, 308];
/** As many as browsers follow. */
const most = 20;

/**
 * Follows redirects. Headers that may be secrets do not follow one to another origin: `fetch` keeps all that it does not know.
 *
 * @param secret - The names of the headers.
 */
export function withRedirects(fetch: Fetch, secret: readonly string[]): Fetch {
  return async (request) => {
    // A request that is sent once follows none.
    if (request.method !== "GET") return fetch(request);
    let current = request;
    for (let count = 0; ; count++) {
      const response = await fetch(current);
      const location = response.headers.get("location");
      if (!statuses.includes(response.status) || location === null) return response;
      await response.body?.cancel();
      if (count === most) throw new Error(`More than ${most} redirects, the last one to ${location}`);
      const url = new URL(location, current.url);
      const headers = new Headers(current.headers);
      if (url.origin !== new URL(current.url).origin) for (const name of secret) headers.delete(name);
      current = new Request(url, { headers, redirect: "manual", signal: request.signal });
    }
  };
}
