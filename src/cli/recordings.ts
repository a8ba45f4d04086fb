import { once } from "node:events";
import { listen } from "../testing/node/index.js";
import type { CommandContext } from "./command.js";
import { type ExitCode, exitCodes } from "./exit.js";
import { print } from "./message.js";

/** The file of a folder of recordings: a recording on each line. */
export const recordingsFile = "recordings.ndjson";

/** Serves a `fetch` over HTTP, and prints its address. */
export async function serveUntilInterrupted(
  { io, values }: CommandContext,
  fetch: (request: Request) => Promise<Response>,
): Promise<ExitCode> {
  const port = values.integer("port", { minimum: 0, maximum: 65_535 });
  const server = await listen({ fetch }, { port, host: values.text("host") });
  try {
    await print(io, `${server.url}\n`);
    if (!io.signal.aborted) await once(io.signal, "abort");
  } finally {
    await server.close();
  }
  return exitCodes.done;
}
