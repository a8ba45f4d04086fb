/** A request as it left. */
export interface Sent {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** A `fetch` that notes what passes through it. */
export function recorder(fetch: (request: Request) => Promise<Response> = globalThis.fetch) {
  const sent: Sent[] = [];
  const answers: Response[] = [];
  return {
    sent,
    answers,
    fetch: async (request: Request) => {
      sent.push({
        method: request.method,
        url: request.url,
        headers: Object.fromEntries(request.headers),
        body: await request.clone().text(),
      });
      const answer = await fetch(request);
      answers.push(answer);
      return answer;
    },
  };
}

/** A `fetch` that answers each request with the next of these bodies, and the last one from then on. */
export function answering(...bodies: unknown[]) {
  let next = 0;
  return recorder(async () => json(bodies[Math.min(next++, bodies.length - 1)]));
}

export function json(body: unknown, init?: ResponseInit): Response {
  return new Response(JSON.stringify(body), { headers: { "content-type": "application/json" }, ...init });
}
