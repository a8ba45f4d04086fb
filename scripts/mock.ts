/**
 * Prism with `openapi.yaml`: as a mock of a node, which responds with the examples, and as a proxy in front of a node, which
 * reports requests and responses that do not match the description.
 *
 * `npm run mock -- --port 4010`; a request selects its response with `Prefer: example=last` or `Prefer: code=429`.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createLogger } from "@stoplight/prism-core";
import { getHttpOperationsFromSpec, type IHttpConfig } from "@stoplight/prism-http";
import { createServer } from "@stoplight/prism-http-server";
import { type FakeNodeServer, listen } from "../src/testing/node/index.js";
import { runScript } from "./run-script.js";

/** A server that listens. */
export type Served = Pick<FakeNodeServer, "url" | "close">;

/** Starts the mock in this process. Default port: a free one. */
export const startMock = ({ port = 0 } = {}): Promise<Served> =>
  startPrism({ ...checks, isProxy: false, errors: false, mock: { dynamic: false } }, port);

/**
 * Serves a node behind a validating proxy, on free ports. The header `sl-violations` reports what does not match the
 * description. With `errors`, the response is 422 for an invalid request, and 500 for an invalid response.
 */
export async function serveValidated(
  fetch: (request: Request) => Promise<Response>,
  { errors = false } = {},
): Promise<Served> {
  const node = await listen({ fetch: async (request) => withOneContentType(await fetch(request)) });
  const config = { ...checks, isProxy: true as const, upstream: new URL(node.url), errors, mock: { dynamic: false } };
  const proxy = await startPrism(config, 0);
  const close = async () => {
    await proxy.close();
    await node.close();
  };
  return { url: proxy.url, close };
}

/** Error responses of nodes have two content types, which cause an unhandled rejection in Prism. */
function withOneContentType(response: Response): Response {
  const [type = ""] = response.headers.get("content-type")?.split(",") ?? [];
  if (type !== "") response.headers.set("content-type", type);
  return response;
}

const checks = { checkSecurity: true, validateRequest: true, validateResponse: true, upstreamProxy: undefined };

async function startPrism(config: IHttpConfig, port: number): Promise<Served> {
  const operations = await getHttpOperationsFromSpec(fileURLToPath(new URL("../openapi.yaml", import.meta.url)));
  const components = { logger: createLogger("prism", { enabled: false }) };
  const server = createServer(operations, { cors: true, config, components });
  const url = await server.listen(port, "127.0.0.1");
  return { url, close: () => server.close() };
}

await runScript(import.meta.url, async () => {
  const { values } = parseArgs({ options: { port: { type: "string", default: "4010" } } });
  const { url } = await startMock({ port: Number(values.port) });
  console.log(`The mock listens on ${url}. Press Ctrl+C to stop it.`);
});
