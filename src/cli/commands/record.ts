import { appendFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { readBaseUrl } from "../../arguments/read-base-url.js";
import { recordFetch } from "../../testing/index.js";
import type { CommandContext } from "../command.js";
import { createSender, readNodes } from "../connection.js";
import { type ExitCode, UsageError } from "../exit.js";
import { recordingsFile, serveUntilInterrupted } from "../recordings.js";

/** Passes requests on to a node and records them, until the program is interrupted. */
export async function record(context: CommandContext): Promise<ExitCode> {
  const nodes = readNodes(context);
  const [node = ""] = nodes;
  if (nodes.length > 1) throw new UsageError("Expected one --node: a recording is of one node.");
  const base = readBaseUrl(node, { argument: "node" });
  const [folder = ""] = context.positionals;
  await mkdir(folder, { recursive: true });
  const file = join(folder, recordingsFile);
  const sender = await createSender(context);
  // One after the other: lines of two requests must not mix.
  let written = Promise.resolve();
  const fetch = recordFetch(sender.fetch, (recording) => {
    written = written.then(() => appendFile(file, `${JSON.stringify(recording)}\n`));
    return written;
  });
  const forward = async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    // They belong to the connection of the caller.
    for (const name of ["host", "connection", "content-length"]) headers.delete(name);
    for (const [name, value] of sender.headers) headers.set(name, value);
    const body = request.body ? await request.arrayBuffer() : undefined;
    const { method, signal } = request;
    return fetch(new Request(`${base}${pathname}${search}`, { method, headers, signal, ...(body && { body }) }));
  };
  return serveUntilInterrupted(context, forward);
}
