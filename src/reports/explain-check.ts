import type { TransactionCheckResult } from "../../generated/types.js";
import { refuse } from "../arguments/refuse.js";

/** What the result of a check means, for people. */
export interface CheckExplanation {
  category: "passed" | "validation" | "signature" | "internal" | "unknown-command" | "spam";
  /** What happened, with the reason that the node gave. */
  message: string;
  /** What to do next. */
  advice: string;
}

const passed: CheckExplanation = {
  category: "passed",
  message: "The transaction passed all checks of the node",
  advice: "Submit it to another node now, or to this one after the next block.",
};

const internal: CheckExplanation = {
  category: "internal",
  message: "The node failed while it checked the transaction",
  advice: "Sign the command again and check it on another node.",
};

/** By the code of a result (observed on v0.74 nodes). */
const explanations: Readonly<Record<number, CheckExplanation>> = {
  51: {
    category: "validation",
    message: "The network does not accept this command now",
    advice: "Correct the command, or wait until the network permits it. Then sign it again.",
  },
  60: {
    category: "signature",
    message: "The transaction is malformed, or its signature is wrong",
    advice: "Check the members of the command, the key, the chain and the version. Then sign it again.",
  },
  70: internal,
  80: {
    category: "unknown-command",
    message: "The node does not know this command",
    advice: "Use a command of the network's version.",
  },
  89: {
    category: "spam",
    message: "The spam protection of the network rejects the transaction",
    advice: "See submissionLimits() for what the party can submit, and on which block.",
  },
};

/** For the reasons with code 89 (observed on v0.74 nodes). */
const spamAdvice: readonly [reason: RegExp, advice: string][] = [
  [
    /already seen/,
    "The node has checked this transaction in this block. Use another node, or wait for the next block.",
  ],
  [/already (?:used|included)/, "Unless it is in a block already, sign the command again with a new proof of work."],
  [/too old|unknown block height/, "Sign the command again with the proof of work of a newer block."],
  [/failed to verify/, "Compute the proof of work again, with the hash and the difficulty of the block."],
  [/insufficient/, "Associate more governance tokens with the key, or use another key."],
  [/maximum number/, "Wait for the next epoch: the party has reached its limit."],
];

/**
 * Explains the result of a check in a sentence and with advice, for people who use a wallet.
 *
 * @param result - The response of `checkTransaction`, or of a check of a raw transaction.
 * @throws `ArgumentError` if it is not the result of a check.
 * @example
 * ```ts
 * const { category, message, advice } = explainCheck(await client.checkTransaction({ tx }));
 * if (category !== "passed") console.error(`${message} ${advice}`);
 * ```
 */
export function explainCheck(result: TransactionCheckResult): CheckExplanation {
  const { code, success, data, info, log } = result ?? {};
  if (typeof code !== "number" || typeof success !== "boolean") {
    refuse({ operation: "explainCheck", argument: "result" }, "the response of checkTransaction", result);
  }
  const other: CheckExplanation = { ...internal, message: `The node rejects the transaction with code ${code}` };
  const { category, message, advice } = success ? passed : (explanations[code] ?? other);
  const reason = success ? "" : data || info || log || "";
  return {
    category,
    message: reason ? `${message}: ${reason.replace(/\.$/, "")}.` : `${message}.`,
    advice: (category === "spam" && spamAdvice.find(([pattern]) => pattern.test(reason))?.[1]) || advice,
  };
}
