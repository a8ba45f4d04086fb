import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { CommandContext } from "../command.js";
import { connect } from "../connection.js";
import { exitCodes, UsageError } from "../exit.js";
import { printMessage } from "../message.js";
import { printObject } from "../output/object.js";

/** Checks a transaction. Rejected transactions have an exit code of their own. */
export async function check(context: CommandContext): Promise<number> {
  const { io, positionals } = context;
  const [file = "-"] = positionals;
  const tx = await readTransaction(file, context);
  const { client } = await connect(context);
  const result = await client.checkTransaction({ tx }, { signal: io.signal });
  await printObject(result, context);
  if (result.success) return exitCodes.done;
  const reason = result.data || result.info || result.log || "no reason given";
  printMessage(io, `The node rejects the transaction with code ${result.code}: ${reason}`);
  return exitCodes.rejected;
}

async function readTransaction(file: string, { io }: CommandContext): Promise<object> {
  const isStdin = file === "-";
  if (isStdin && io.stdin.isTTY === true) throw new UsageError("Expected FILE, or a transaction as JSON on stdin.");
  const text = isStdin ? await readAll(io) : await readFile(file, "utf8");
  const name = isStdin ? "stdin" : file;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(
      `Expected ${name} to hold a transaction as JSON: ${error instanceof Error ? error.message : error}`,
    );
  }
  // The body of a request has the transaction as its member.
  const tx: unknown = typeof value === "object" && value !== null && "tx" in value ? value.tx : value;
  if (typeof tx === "object" && tx !== null && !Array.isArray(tx)) return tx;
  throw new UsageError(
    `Expected ${name} to hold a transaction as a JSON object, got ${JSON.stringify(tx)?.slice(0, 60)}.`,
  );
}

async function readAll({ stdin, signal }: CommandContext["io"]): Promise<string> {
  const chunks: Uint8Array[] = [];
  const read = async () => {
    for await (const chunk of stdin) chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  };
  // Nothing ends a read of stdin.
  await Promise.race([read(), once(signal, "abort")]);
  signal.throwIfAborted();
  return Buffer.concat(chunks).toString("utf8");
}
