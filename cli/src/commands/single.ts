/** A command for each operation that returns one object, such as `spam`. */
import type { Command } from "commander";
import type { CallOptions } from "vegaprotocol-client";
import { type OperationId, operations } from "vegaprotocol-client/operations";
import { operationTexts } from "../../generated/operation-texts.js";
import { argumentFlags, filterFlags, kebab, readArguments } from "../arguments.js";
import { addCommand, exampleIds, type Setup } from "../command.js";
import { exitCodes } from "../errors.js";
import { type FormatFlags, formatFlag, type NodeFlags, nodeFlags } from "../flags.js";
import type { Io } from "../io.js";

const { party } = exampleIds;

const own: Partial<Record<OperationId, { readonly name: string; readonly examples: readonly string[] }>> = {
  getSpamStatistics: { name: "spam", examples: [`spam --party ${party}`, `spam --party ${party} --format json`] },
};

/** As in `spam`, or `asset` for `getAsset`. */
const nameOf = (id: OperationId) => own[id]?.name ?? kebab(id.replace(/^get/, ""));

export function addSingles(program: Command, setup: Setup): void {
  for (const [name, { kind, method }] of Object.entries(operations)) {
    const id = name as OperationId;
    if (kind !== "single" || method !== "GET") continue;
    addCommand<NodeFlags & FormatFlags>(program, setup, {
      name: nameOf(id),
      summary: `${operationTexts[id].summary}.`,
      flags: [...filterFlags(argumentFlags(id)), formatFlag(), ...nodeFlags()],
      examples: own[id]?.examples ?? [],
      exits: [0, 1, 2, 5, 130],
      run: (flags) => single(id, setup.io, flags),
    });
  }
}

async function single(id: OperationId, io: Io, flags: NodeFlags & FormatFlags): Promise<number> {
  const argument = readArguments(id, argumentFlags(id), flags);
  const [{ connect }, { printObject }] = await Promise.all([import("../connection.js"), import("../output/print.js")]);
  const { client } = await connect(io, flags);
  const method = client[id] as (argument: object, options: CallOptions) => PromiseLike<object>;
  await printObject(await method(argument, { signal: io.signal }), io, flags);
  return exitCodes.done;
}
