import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import type { CallOptions } from "vegaprotocol-client";
import { type OperationId, operations } from "vegaprotocol-client/operations";
import { explainCheck } from "vegaprotocol-client/reports";
import { operationTexts } from "../../generated/operation-texts.js";
import { argumentFlags, kebab, readArguments } from "../arguments.js";
import { type Definition, exampleIds } from "../command.js";
import { connect } from "../connection.js";
import { decode, exitCodes, readInput, UsageError } from "../errors.js";
import { fileFlags, nodeFlags } from "../flags.js";
import { type Io, printMessage } from "../io.js";
import { printObject } from "../output/print.js";

const { party } = exampleIds;

const own: Partial<Record<OperationId, { readonly name: string; readonly examples: readonly string[] }>> = {
  getSpamStatistics: { name: "spam", examples: [`spam --party ${party}`, `spam --party ${party} --format json`] },
};

/** A command for each operation that returns one object, such as `asset` for an operation `getAsset`. */
export const singleCommands = Object.entries(operations).flatMap(([key, { kind, method }]): Definition[] => {
  const id = key as OperationId;
  if (kind !== "single" || method !== "GET") return [];
  const { name = kebab(id.replace(/^get/, "")), examples = [] } = own[id] ?? {};
  const summary = `${operationTexts[id].summary}.`;
  const title = operationTexts[id].summary.replace(/^Get the (.)/, (_, letter: string) => letter.toUpperCase());
  const flags = [...argumentFlags(id).map(({ option }) => option), ...fileFlags(), ...nodeFlags()];
  const run: Definition["run"] = async (io, entered) => {
    const argument = readArguments(id, entered);
    const { client } = await connect(io, entered);
    const method = client[id] as (argument: object, options: CallOptions) => PromiseLike<object>;
    await printObject(io, entered, () => method(argument, { signal: io.signal }), title);
  };
  return [{ name, summary, flags, examples, run }];
});

export const checkCommand: Definition = {
  name: "check",
  summary: `${operationTexts.checkTransaction.summary}.`,
  details:
    "Reads a transaction as JSON from a file, or from stdin if FILE is - or omitted. It is sent once and not submitted. " +
    "The exit code is 4 if the node rejects it.",
  arguments: ["[FILE]"],
  flags: [...fileFlags(), ...nodeFlags().filter(({ long }) => long !== "--retries")],
  examples: ["check transaction.json", "check < transaction.json"],
  async run(io, flags, [file = "-"]) {
    const tx = await readTransaction(io, file);
    const { client } = await connect(io, flags);
    const result = await printObject(io, flags, () => client.checkTransaction({ tx }, { signal: io.signal }));
    if (result.success) return exitCodes.done;
    const { message, advice } = explainCheck(result);
    printMessage(io, message);
    printMessage(io, advice);
    return exitCodes.rejected;
  },
};

async function readTransaction({ stdin, signal }: Io, file: string): Promise<object> {
  const isStdin = file === "-";
  if (isStdin && stdin.isTTY === true) throw new UsageError("Expected FILE, or a transaction as JSON on stdin.");
  // Nothing ends a read of stdin.
  const content = isStdin
    ? await Promise.race([buffer(stdin).then(decode), once(signal, "abort")])
    : await readInput(file, "check transaction.json");
  signal.throwIfAborted();
  const expected = `Expected ${isStdin ? "stdin" : file} to hold a transaction as`;
  if (content === "") throw new UsageError(`${expected} JSON, and it is empty.`);
  let value: unknown;
  try {
    value = JSON.parse(String(content));
  } catch (error) {
    throw new UsageError(`${expected} JSON: ${error instanceof Error ? error.message : error}`);
  }
  // The body of a request has the transaction as its member.
  const tx: unknown = typeof value === "object" && value !== null && "tx" in value ? value.tx : value;
  if (typeof tx === "object" && tx !== null && !Array.isArray(tx)) return tx;
  throw new UsageError(`${expected} a JSON object, got ${JSON.stringify(tx)?.slice(0, 60)}.`);
}
