/**
 * Prism, with `openapi.yaml`: as a mock of a node, which answers with the examples, and as a proxy in front of one, which
 * refuses what the description does not allow.
 *
 * `npm run mock -- --port 4010`; a request picks its answer with `Prefer: example=last` or `Prefer: code=429`.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createLogger } from "@stoplight/prism-core";
import { getHttpOperationsFromSpec, type IHttpConfig } from "@stoplight/prism-http";
import { createServer } from "@stoplight/prism-http-server";
import { type Served, serve } from "./serve.js";

/** Starts the mock in this process, on a free port where none is given. */
export const startMock = ({ port = 0 } = {}): Promise<Served> =>
  startPrism({ ...checks, isProxy: false, errors: false, mock: { dynamic: false } }, port);

/**
 * Serves a node with a proxy in front, on free ports. What the description does not allow is told in the header
 * `sl-violations`; with `errors`, it is answered with 422, where the request is at fault, or 500.
 */
export async function serveValidated(
  fetch: (request: Request) => Promise<Response>,
  { errors = false } = {},
): Promise<Served> {
  const node = await serve(async (request) => withOneContentType(await fetch(request)));
  const config = { ...checks, isProxy: true as const, upstream: new URL(node.url), errors, mock: { dynamic: false } };
  const proxy = await startPrism(config, 0);
  const close = async () => {
    await proxy.close();
    await node.close();
  };
  return { url: proxy.url, close };
}

/** Errors of nodes come with two types of content, of which Prism's parser makes an unhandled rejection. */
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { port: { type: "string", default: "4010" } } });
  const { url } = await startMock({ port: Number(values.port) });
  console.log(`The mock listens on ${url}. Ctrl+C ends it.`);
}
