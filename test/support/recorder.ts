/** A request that was sent. */
export interface Sent {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** A `fetch` that records the requests and the responses. */
export function recorder(fetch: (request: Request) => Promise<Response> = globalThis.fetch) {
  const sent: Sent[] = [];
  const responses: Response[] = [];
  return {
    sent,
    responses,
    fetch: async (request: Request) => {
      const { method, url } = request;
      sent.push({ method, url, headers: Object.fromEntries(request.headers), body: await request.clone().text() });
      const response = await fetch(request);
      responses.push(response);
      return response;
    },
  };
}

/** A `fetch` that responds with each of these bodies in turn, and with the last one from then on. */
export function respondWith(...bodies: unknown[]) {
  let next = 0;
  return recorder(async () => Response.json(bodies[Math.min(next++, bodies.length - 1)]));
}

/** What a promise rejects with. */
export async function rejectionOf(promise: PromiseLike<unknown>): Promise<unknown> {
  const [outcome] = await Promise.allSettled([promise]);
  if (outcome.status === "fulfilled") throw new Error("Expected a rejection.");
  return outcome.reason;
}
