import { operationTexts } from "../../../generated/command-line.js";
import { operations } from "../../../generated/operations.js";
import { type ArgumentFlag, argumentFlags } from "../argument-flags.js";
import { columnsFlag, type Flag, inGroup, outputFlag, outputFlags, presentationFlags } from "../flags.js";

/** The lists that can be followed. */
export type FollowId = "listBalanceChanges" | "listVotes" | "listNodeSignatures";

/** The arguments of a follower: those of the list, without the range of time. */
export const followArgumentFlags = (id: FollowId): ArgumentFlag[] =>
  argumentFlags(operations[id], operationTexts[id]).filter(({ path }) => path[0] !== "dateRange");

const from: Flag = {
  name: "from",
  value: "TIME",
  text:
    "Where to begin: now, which is the current block; start, which is the oldest record of the node; or a time, as in " +
    "2024-02-01T12:00:00Z. Default: now.",
};

const chain: Flag = {
  name: "chain",
  value: "BLOCK",
  text: "The block that --from was read at, as HEIGHT@TIME. The command fails on another network.",
};

const pace: readonly Flag[] = [
  {
    name: "poll-interval",
    value: "TIME",
    text: "The time between polls, as in 5s. Default: one block while records arrive, and up to 15s while none do.",
  },
  { name: "stalled-after", value: "TIME", text: "Fail if the node names no new block for this time. Default: 60s." },
  {
    name: "give-up-after",
    value: "TIME",
    text: "How long to retry failures, as in 2h. never retries forever. Default: 10m.",
  },
];

/** The flags of a follower, without those of the node. */
export function followFlags(id: FollowId): Flag[] {
  const hasTime = id !== "listNodeSignatures";
  const own = followArgumentFlags(id).map(({ flag }) => flag);
  const limit: Flag = { name: "limit", value: "N", text: "End after this many records." };
  const output: readonly Flag[] = [
    outputFlag,
    { name: "resume", text: "Append to the --output file, or create it." },
    { name: "force", text: "Replace the --output file after the first block." },
    columnsFlag(Object.keys(operationTexts[id].columns ?? {})),
    ...(hasTime ? presentationFlags : []),
    { name: "quiet", short: "q", text: "Do not print the status or failures." },
  ];
  return [
    ...own,
    ...(hasTime ? [from, chain] : []),
    limit,
    ...outputFlags,
    ...inGroup("OUTPUT FLAGS", output),
    ...inGroup("NODE FLAGS", pace),
  ];
}
