/**
 * A mock of a node: Prism answers with the examples of `openapi.yaml` and refuses what the description does not allow.
 * `npm run mock -- --port 4010`; a request picks its answer with `Prefer: example=last` or `Prefer: code=429`.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createLogger } from "@stoplight/prism-core";
import { getHttpOperationsFromSpec } from "@stoplight/prism-http";
import { createServer } from "@stoplight/prism-http-server";

export interface Mock {
  /** Where it listens, as in `http://127.0.0.1:40123`. */
  url: string;
  close(): Promise<void>;
}

/** Starts the mock in this process, on a free port where none is given. */
export async function startMock({ port = 0 } = {}): Promise<Mock> {
  const operations = await getHttpOperationsFromSpec(fileURLToPath(new URL("../openapi.yaml", import.meta.url)));
  const server = createServer(operations, {
    cors: true,
    config: {
      isProxy: false,
      checkSecurity: true,
      validateRequest: true,
      validateResponse: true,
      errors: false,
      upstreamProxy: undefined,
      mock: { dynamic: false },
    },
    components: { logger: createLogger("mock", { enabled: false }) },
  });
  const url = await server.listen(port, "127.0.0.1");
  return { url, close: () => server.close() };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { port: { type: "string", default: "4010" } } });
  const { url } = await startMock({ port: Number(values.port) });
  console.log(`The mock listens on ${url}. Ctrl+C ends it.`);
}
