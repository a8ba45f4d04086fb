import { operationTexts } from "../../generated/command-line.js";
import { operations } from "../../generated/operations.js";
import { type ArgumentFlag, argumentFlags } from "./argument-flags.js";
import { catchUpFlag, concurrencyFlag, type Flag, inGroup, nodeFlags } from "./flags.js";

/** The flags of balance changes. What is stored has no end. */
export const syncArgumentFlags: readonly ArgumentFlag[] = argumentFlags(
  operations.listBalanceChanges,
  operationTexts.listBalanceChanges,
).filter(({ flag }) => flag.name !== "to");

export const syncFlags: readonly Flag[] = [
  ...syncArgumentFlags.map(({ flag }) =>
    flag.name === "party"
      ? { ...flag, text: "The party whose balance changes and votes to store. Can be repeated." }
      : flag,
  ),
  { name: "proposal", value: "ID", multiple: true, text: "The proposal whose votes to store. Can be repeated." },
  { name: "id", value: "ID", multiple: true, text: "The resource whose signatures to store. Can be repeated." },
  ...inGroup("OUTPUT FLAGS", [
    { name: "follow", text: "Continue and store each block as it comes, until it is interrupted." },
    {
      name: "check",
      text:
        "Compare the balance changes with the node instead, and print the days that differ. The exit code is 1 if one does, and 3 if the " +
        "node does not keep all that is stored.",
    },
    { name: "repair", text: "With --check: read the days that differ again, and compare them once more." },
    {
      name: "days",
      text: "With --check: print a line for each day, with the number of records and their SHA-256. Of a day that differs, those of the node follow.",
    },
    { name: "quiet", short: "q", text: "Do not print progress or a summary." },
  ]),
  ...nodeFlags,
  ...inGroup("NODE FLAGS", [
    { name: "page-size", value: "N", text: "How many records to request at once. Default: 1000." },
    concurrencyFlag,
    catchUpFlag,
    {
      name: "poll-interval",
      value: "TIME",
      text: "With --follow: the time between polls, as in 5s. Default: one block while records arrive, and up to 15s while none do.",
    },
    {
      name: "give-up-after",
      value: "TIME",
      text: "With --follow: how long to retry failures, as in 2h. never retries forever. Default: 10m.",
    },
  ]),
];
