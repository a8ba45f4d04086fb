import type { Transaction, TransactionCheckResult } from "../../generated/types.js";
import { GatewayError, parseObject } from "./wire.js";

/** @inline */
export type CheckCode = 0 | 51 | 60 | 70 | 80 | 89;

const reasons: Record<CheckCode, string> = {
  0: "",
  51: "trading disabled",
  60: "tx.signature.value (invalid signature)",
  70: "could not transfer funds, less than minimal amount requested to transfer",
  80: "unknown command",
  89: "party has insufficient associated governance tokens in their staking account to submit votes",
};

/** Returns a function that checks transactions without cryptography, their contents and the state of the network. */
export function createTransactionCheck() {
  const seen = new Set<string>();
  let current: bigint | undefined;
  return (tx: Transaction | undefined, height: bigint, checkCode: (tx: Transaction) => CheckCode) => {
    if (height !== current) seen.clear();
    current = height;
    const problem = findProblem(tx);
    if (tx === undefined || problem !== undefined) return result(60, problem);
    const { tid = "", nonce = "0" } = tx.pow ?? {};
    if (seen.has(tid)) return result(89, "proof of work tid already seen by the node");
    // A node also remembers a proof of work that fails.
    seen.add(tid);
    if (!/^[0-9a-f]{64}$/i.test(tid) || nonce === "0") return result(89, "failed to verify proof of work");
    return result(checkCode(tx));
  };
}

/** For codes 51 and 89, nodes give the reason in `data` alone. */
function result(code: CheckCode, reason = reasons[code]): TransactionCheckResult {
  const [success, info] = [code === 0, code === 51 || code === 89 ? "" : reason];
  return { success, code, gasWanted: success ? "1" : "0", gasUsed: "0", data: reason, log: "", info };
}

let created = 0n;

/** A transaction that passes the check, with a proof of work that no other one has. */
export function createTransaction(members: Transaction = {}): Transaction {
  const tid = (++created).toString(16).padStart(64, "0");
  return {
    version: "TX_VERSION_V3",
    inputData: btoa(tid),
    pubKey: "ab".repeat(32),
    signature: { algo: "vega/ed25519", value: "0f".repeat(64), version: 1 },
    pow: { tid, nonce: "1" },
    ...members,
  };
}

/** Reads the body of a check. As on a node, a member that is `null` counts as not given. */
export function readTransaction(body: string): Transaction | undefined {
  const { tx } = parseObject(body.trim() || "{}") ?? { tx: body };
  if (tx !== undefined && (typeof tx !== "object" || Array.isArray(tx)))
    throw new GatewayError(3, `expected an object with a transaction \`tx\`, got ${body}`);
  const { version, inputData } = (tx ?? {}) as Transaction;
  if (typeof version === "string" && !/^TX_VERSION_(UNSPECIFIED|V[23])$/.test(version))
    throw new GatewayError(3, `invalid value for enum field version: "${version}"`);
  if (!/^[\w+/-]*={0,2}$/.test(inputData ?? ""))
    throw new GatewayError(3, `invalid value for bytes field inputData: "${inputData}"`);
  return tx as Transaction | undefined;
}

/** The first member that is missing or malformed, as far as that shows without cryptography. */
function findProblem(tx: Transaction | undefined): string | undefined {
  if (tx === undefined) return "tx (is required)";
  const { pubKey, address, inputData = "", signature } = tx;
  // A number, too, counts as a version.
  const version = String(tx.version ?? 0);
  if (version === "0" || version === "TX_VERSION_UNSPECIFIED") return "tx.version (is required)";
  if (!/^\D*[23]$/.test(version)) return "tx.version (is not supported)";
  if (pubKey === undefined && address === undefined) return "tx.from (is required)";
  if (!pubKey) return "tx.from.pub_key (is required)";
  if (!/^[0-9a-f]{64}$/i.test(pubKey)) return "tx.from.pub_key (should be a valid vega public key)";
  if (inputData === "") return "tx.input_data (is required)";
  if (!signature) return "tx.signature (is required)";
  const { value = "", algo, version: algoVersion } = signature;
  if (value === "") return "tx.signature.value (is required)";
  if (algo !== "vega/ed25519" || algoVersion !== 1)
    return "tx.signature.algo (unsupported algorithm), tx.signature.version (unsupported algorithm)";
  if (!/^([0-9a-f]{2})*$/i.test(value)) return "tx.signature.value (should be hex encoded)";
  return value.length === 128 ? undefined : reasons[60];
}
