// Prism with `openapi.yaml`, in this process and on free ports. `npm run mock` and `npm run proxy` run the same by its command line.
import { fileURLToPath } from "node:url";
import { createLogger } from "@stoplight/prism-core";
import { getHttpOperationsFromSpec, type IHttpConfig } from "@stoplight/prism-http";
import { createServer } from "@stoplight/prism-http-server";
import { type FakeNodeServer, listen } from "../../src/testing/node/index.js";

/** A server that listens. */
export type Served = Pick<FakeNodeServer, "url" | "close">;

/** Serves the examples of the description. A request selects one with `Prefer: example=last` or `Prefer: code=429`. */
export const startMock = (): Promise<Served> => startPrism({ ...checks, isProxy: false });

/** Serves a node behind a validating proxy. The header `sl-violations` reports differences from the description. */
export async function serveValidated(fetch: (request: Request) => Promise<Response>): Promise<Served> {
  const node = await listen({ fetch });
  const proxy = await startPrism({ ...checks, isProxy: true, upstream: new URL(node.url) });
  const close = async () => {
    await proxy.close();
    await node.close();
  };
  return { url: proxy.url, close };
}

const validations = { checkSecurity: true, validateRequest: true, validateResponse: true };
const checks = { ...validations, errors: false, upstreamProxy: undefined, mock: { dynamic: false } };

async function startPrism(config: IHttpConfig): Promise<Served> {
  const operations = await getHttpOperationsFromSpec(fileURLToPath(new URL("../../openapi.yaml", import.meta.url)));
  const components = { logger: createLogger("prism", { enabled: false }) };
  const server = createServer(operations, { cors: true, config, components });
  const url = await server.listen(0, "127.0.0.1");
  return { url, close: () => server.close() };
}
