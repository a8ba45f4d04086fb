import { applyVerdict, verdictOn } from "./judge.js";
import type { Link } from "./link.js";
import type { AttemptOutcome } from "./race.js";

/** Judges the response of a node that had rested, after its call has ended. */
export function judgeTrial<T>({ node, sentAt, block, result }: AttemptOutcome<T>, link: Link): void {
  if ("error" in result) return;
  applyVerdict({ node, sentAt, verdict: verdictOn(node, block, {}, link) });
}
