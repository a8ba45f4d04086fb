import type { Transaction, TransactionCheckResult } from "../../generated/types.js";
import { readBlockHeight } from "./input-data.js";
import type { ParsedTransaction } from "./transaction.js";

/**
 * The outcome of a check: 0 passed, 51 validation, 60 decoding or signature, 70 internal, 80 unknown command, 89 spam or
 * proof of work (observed on v0.74 nodes).
 */
export type CheckCode = 0 | 51 | 60 | 70 | 80 | 89;

const reasons: Record<CheckCode, string> = {
  0: "",
  51: "the command is not valid",
  60: "tx.signature.value (invalid signature)",
  70: "internal error",
  80: "unknown command",
  89: "party has insufficient associated governance tokens in their staking account to submit votes",
};

/** How many blocks a transaction stays valid (observed on v0.74 nodes). */
const pastBlocks = 100n;

/**
 * Checks transactions in the order of a v0.74 node, without what needs cryptography, the rules of a command or the state of
 * the network: signatures, the work behind a proof of work, the contents of commands and the tokens of a party.
 */
export class TransactionCheck {
  /** The proofs of work of the current block. */
  readonly #seen = new Set<string>();
  #height: bigint | undefined;

  /** @param height - The height of the current block. */
  check(
    parsed: ParsedTransaction | undefined,
    height: bigint,
    checkCode: (tx: Transaction) => CheckCode,
  ): TransactionCheckResult {
    if (height !== this.#height) this.#seen.clear();
    this.#height = height;
    const problem = findProblem(parsed);
    if (parsed === undefined || problem !== undefined) return rejected(60, problem);
    const { tx, inputData } = parsed;
    const sentAt = readBlockHeight(inputData);
    if (sentAt === undefined) return rejected(60, "tx.input_data (unable to unmarshal)");
    if (sentAt + pastBlocks < height) return rejected(89, "transaction too old");
    const { tid = "", nonce = "0" } = tx.pow ?? {};
    if (this.#seen.has(tid)) return rejected(89, "proof of work tid already seen by the node");
    // A node remembers a proof of work that fails, too.
    this.#seen.add(tid);
    if (!/^[0-9a-f]{64}$/i.test(tid) || nonce === "0") return rejected(89, "failed to verify proof of work");
    const code = checkCode(tx);
    if (code !== 0) return rejected(code);
    return { success: true, code, gasWanted: "1", gasUsed: "0", data: "", log: "", info: "" };
  }
}

/** The first member that is missing or malformed, as far as that shows without cryptography. */
function findProblem(parsed: ParsedTransaction | undefined): string | undefined {
  if (parsed === undefined) return "tx (is required)";
  const { tx, version, inputData } = parsed;
  if (version === 0) return "tx.version (is required)";
  if (version !== 2 && version !== 3) return "tx.version (is not supported)";
  if (tx.pubKey === undefined && tx.address === undefined) return "tx.from (is required)";
  if (tx.pubKey !== undefined && !/^[0-9a-f]{64}$/i.test(tx.pubKey)) {
    return "tx.from.pub_key (should be a valid vega public key)";
  }
  if (inputData.length === 0) return "tx.input_data (is required)";
  if (!tx.signature) return "tx.signature (is required)";
  const { value = "", algo, version: algoVersion } = tx.signature;
  if (value === "") return "tx.signature.value (is required)";
  if (algo !== "vega/ed25519" || algoVersion !== 1) {
    return "tx.signature.algo (unsupported algorithm), tx.signature.version (unsupported algorithm)";
  }
  return /^[0-9a-f]{128}$/i.test(value) ? undefined : reasons[60];
}

/** For code 89, nodes give the reason in `data` alone. */
function rejected(code: CheckCode, reason = reasons[code]): TransactionCheckResult {
  const info = code === 89 ? "" : reason;
  return { success: false, code, gasWanted: "0", gasUsed: "0", data: reason, log: "", info };
}
