import type { FaultName } from "./world.js";

/** The request with a smaller page: the response is that of a node with fewer records on its pages. */
export function clamped(request: Request, largest: number | undefined): Request {
  if (largest === undefined) return request;
  const url = new URL(request.url);
  for (const name of ["pagination.first", "pagination.last"]) {
    const size = url.searchParams.get(name);
    if (size !== null && Number(size) > largest) url.searchParams.set(name, String(largest));
  }
  return new Request(url, request);
}

/** The page of balance changes without its last records, of which the node says that the list ends there. */
export function shortened(body: ArrayBuffer, share: number): ArrayBuffer {
  const { balances } = JSON.parse(new TextDecoder().decode(body));
  const edges = balances.edges.slice(0, Math.floor(balances.edges.length * share));
  const [first, last] = [edges[0], edges.at(-1)].map((edge) => edge?.cursor ?? "");
  const hasPreviousPage = balances.pageInfo.hasPreviousPage && edges.length > 0;
  const pageInfo = { startCursor: first, endCursor: last, hasNextPage: false, hasPreviousPage };
  return new TextEncoder().encode(JSON.stringify({ balances: { edges, pageInfo } })).buffer as ArrayBuffer;
}

export function faultOf(name: FaultName, body: ArrayBuffer, headers: Headers): Response {
  const json = (text: string, status = 200) => new Response(text, { status, headers });
  switch (name) {
    case "empty-object":
      return json("{}");
    case "maintenance":
      return new Response('{"status":"maintenance"}', { headers: { "Content-Type": "application/json" } });
    case "html":
      return new Response("<!doctype html><h1>Bad gateway</h1>", { headers: { "Content-Type": "text/html" } });
    case "503":
      return json('{"code":14,"message":"Unavailable error","details":[]}', 503);
    case "400":
      return new Response("<h1>Bad request</h1>", { status: 400, headers: { "Content-Type": "text/html" } });
    default:
      return new Response(body.slice(0, body.byteLength / 2), { headers });
  }
}
