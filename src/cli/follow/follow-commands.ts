import { operations } from "../../../generated/operations.js";
import type { Command } from "../command.js";
import { nodeFlags } from "../flags.js";
import { type FollowId, followFlags } from "./flags.js";

const texts: Readonly<Record<FollowId, { summary: string; details: string }>> = {
  listBalanceChanges: {
    summary: "Print balance changes as they come.",
    details: "Each balance change once, in order of time, as soon as its block is final.",
  },
  listVotes: {
    summary: "Print votes as they come.",
    details:
      "Each vote when its block is final. A rewritten vote is printed again only if a field changed; after --resume, also " +
      "if none did.",
  },
  listNodeSignatures: {
    summary: "Print the node signatures of a resource as they come.",
    details: "Each signature once, starting with the existing ones.",
  },
};

/** The commands that follow a list. */
export const followCommands: readonly Command[] = (
  ["listBalanceChanges", "listVotes", "listNodeSignatures"] as const
).map((id) => ({
  name: `follow ${operations[id].envelope}`,
  usage: "",
  arity: [0, 0],
  summary: texts[id].summary,
  details: `${texts[id].details} Prints them until it is interrupted.`,
  flags: [...followFlags(id), ...nodeFlags],
  exits: [0, 1, 2, 3, 5, 130],
  run: async (context) => (await import("../commands/follow.js")).follow(id, context),
}));
