import type { TransactionCheckResult } from "../../generated/types.js";
import { refuse } from "../arguments/refuse.js";

/** The meaning of a check's result, for people. */
export interface CheckExplanation {
  category: "passed" | "validation" | "signature" | "internal" | "unknown-command" | "spam";
  /** The outcome, with the reason of the node. */
  message: string;
  /** Advice on the next step. */
  advice: string;
}

type Texts = readonly [category: CheckExplanation["category"], message: string, advice: string];

const again = "Sign the command again with ";

/**
 * By the code of a result (observed on v0.74 nodes). Nodes use 60 also for commands that are wrong in themselves, and
 * 70 for those that the state of the network does not allow, such as a transfer without the funds for it.
 */
const texts: Readonly<Record<number, Texts>> = {
  51: [
    "validation",
    "The network does not accept this command now",
    "Correct the command, or wait. Then sign it again.",
  ],
  60: [
    "signature",
    "The transaction is malformed, or its signature is wrong",
    "Check the command, the key, the chain and the version. Then sign it again.",
  ],
  70: [
    "internal",
    "The network does not accept this command",
    "Correct the command, or add the missing funds. Then sign it again.",
  ],
  80: ["unknown-command", "The node does not know this command", "Use a command of the network's version."],
  89: ["spam", "The spam protection rejects the transaction", "Wait until the limits of the party allow it."],
};

/** By the reason for code 89 (observed on v0.74 nodes). */
const spamAdvice: readonly [reason: RegExp, advice: string][] = [
  [
    /already seen/,
    "The node has checked this transaction in this block. Use another node, or wait for the next block.",
  ],
  [/delayed/, "The network executes it in the next block. Do not sign it again."],
  [/already used/, "Unless it is in a block, sign the command again with a new nonce and proof of work."],
  [/too old/, `${again}the proof of work of a newer block.`],
  [/unknown block/, `${again}the proof of work of a recent block, or use a node that has reached the block.`],
  [/failed to verify/, "Prove work again, with the hash and the difficulty of the block."],
  [/insufficient/, "Associate more governance tokens with the key."],
  [/maximum/, "Wait for the next epoch."],
  [/banned/, "Wait until the ban ends."],
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
  const reason: unknown = data || info || log || "";
  if (typeof code !== "number" || typeof success !== "boolean" || typeof reason !== "string") {
    refuse({ operation: "explainCheck", argument: "result" }, "the response of checkTransaction", result);
  }
  if (success) {
    const advice = "Submit it to another node, or to this one after the next block.";
    return { category: "passed", message: "The transaction passed all checks of the node.", advice };
  }
  const elsewhere = "Sign the command again and check it on another node.";
  const other: Texts = ["internal", `The node rejects the transaction with code ${code}`, elsewhere];
  const [category, message, advice] = texts[code] ?? other;
  return {
    category,
    message: `${message}${reason && ": "}${reason.replace(/\.$/, "")}.`,
    advice: (code === 89 && spamAdvice.find(([pattern]) => pattern.test(reason))?.[1]) || advice,
  };
}
