import type { Command } from "commander";
import { operationTexts } from "../../generated/operation-texts.js";
import { argumentFlags, readArguments } from "../arguments.js";
import { complete, type Setup } from "../command.js";
import { exitCodes } from "../errors.js";
import { addFlags, type FormatFlags, formatFlag, type NodeFlags, nodeFlags } from "../flags.js";

const id = "getSpamStatistics";
const party = "2f166fdafb0e52176bc7dc26f492c4f06fc1b869c53e6da5b936324a3df8d18f";

/** Adds the command that prints the spam statistics of a party. */
export function addSpam(program: Command, { io, action }: Setup): void {
  const own = argumentFlags(id);
  const command = program
    .command("spam")
    .description(`${operationTexts[id].summary}.`)
    .usage("[flags]")
    .action(
      action(async (flags: NodeFlags & FormatFlags) => {
        const argument = readArguments(id, own, flags as object as Record<string, unknown>);
        const [{ connect }, { printObject }] = await Promise.all([
          import("../connection.js"),
          import("../output/object.js"),
        ]);
        const { client } = await connect(io, flags);
        await printObject(await client[id](argument as { partyId: string }, { signal: io.signal }), io, flags);
        return exitCodes.done;
      }),
    );
  addFlags(command, [...own.map(({ option }) => option), formatFlag(), ...nodeFlags()]);
  complete(command, {
    examples: [`spam --party ${party}`, `spam --party ${party} --format json`],
    exits: [0, 1, 2, 5, 130],
  });
}
