import type { CheckTransactionRequest, Transaction, TransactionCheckResult } from "../../generated/types.js";
import { invalidArgument } from "./paging.js";

/**
 * The outcome of a check: 0 passed, 51 validation, 60 decoding or signature, 70 internal, 80 unknown command, 89 spam or
 * proof of work (observed on v0.74 nodes).
 */
export type CheckCode = 0 | 51 | 60 | 70 | 80 | 89;

const reasons: Record<CheckCode, string> = {
  0: "",
  51: "the command is not valid",
  60: "invalid signature",
  70: "internal error",
  80: "unknown command",
  89: "proof of work has been used already",
};

/** Checks a transaction, and remembers its proof of work as a node does until the next block. */
export function check(
  body: string,
  checked: Set<string>,
  checkCode: (tx: Transaction) => CheckCode = () => 0,
): TransactionCheckResult {
  const { tx } = parse(body);
  if (tx === undefined || tx === null) return refused(60, "tx (is required)");
  const tid = tx.pow?.tid;
  const missing = whatIsMissing(tx);
  if (missing) return refused(60, missing);
  if (!tid) return refused(89, "proof of work is missing");
  if (checked.has(tid)) return refused(89);
  checked.add(tid);
  const code = checkCode(tx);
  if (code !== 0) return refused(code);
  return { success: true, code, gasWanted: "20000", gasUsed: "0", data: "", log: "", info: "" };
}

const refused = (code: CheckCode, reason = reasons[code]): TransactionCheckResult => ({
  success: false,
  code,
  gasWanted: "0",
  gasUsed: "0",
  data: reason,
  log: "",
  info: reason,
});

function whatIsMissing({ pubKey, inputData, signature }: Transaction): string | undefined {
  if (!pubKey) return "tx.pub_key (is required)";
  if (!inputData) return "tx.input_data (is required)";
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(inputData)) return "tx.input_data (is not base64)";
  if (!signature?.value) return "tx.signature.value (is required)";
  if (!/^(?:[0-9a-f]{2})+$/i.test(signature.value)) return "tx.signature.value (is not hexadecimal)";
  return undefined;
}

function parse(body: string): Partial<CheckTransactionRequest> {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === "object" && parsed !== null) return parsed;
  } catch {
    // Said below.
  }
  throw invalidArgument("proto: syntax error: the body is no JSON object");
}
