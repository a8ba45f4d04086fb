import type { Transaction, TransactionCheckResult } from "../../generated/types.js";
import { base64ToBytes, bytesToBase64, GatewayError, tooLarge } from "./wire.js";

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

/** The largest message that a node accepts, in bytes: inputData counts without its base64 (observed on v0.74 nodes). */
const largestRequest = 4 * 2 ** 20;

/**
 * Returns a function that checks transactions in the order of a v0.74 node, without what needs cryptography, the rules of a command or the
 * state of the network: signatures, the work behind a proof of work, the contents of commands and the tokens of a party.
 */
export function createTransactionCheck() {
  const seen = new Set<string>();
  let current: bigint | undefined;
  return (tx: Transaction | undefined, height: bigint, checkCode: (tx: Transaction) => CheckCode) => {
    if (height !== current) seen.clear();
    current = height;
    const problem = findProblem(tx);
    if (tx === undefined || problem !== undefined) return rejected(60, problem);
    const sentAt = readBlockHeight(base64ToBytes(tx.inputData ?? "") ?? new Uint8Array());
    if (sentAt === undefined) return rejected(60, "tx.input_data (unable to unmarshal)");
    if (sentAt + pastBlocks < height) return rejected(89, "transaction too old");
    const { tid = "", nonce = "0" } = tx.pow ?? {};
    if (seen.has(tid)) return rejected(89, "proof of work tid already seen by the node");
    // A node remembers a proof of work that fails, too.
    seen.add(tid);
    if (!/^[0-9a-f]{64}$/i.test(tid) || nonce === "0") return rejected(89, "failed to verify proof of work");
    const code = checkCode(tx);
    if (code !== 0) return rejected(code);
    return { success: true, code, gasWanted: "1", gasUsed: "0", data: "", log: "", info: "" };
  };
}

let created = 0n;

/** A transaction for a block that passes the check, with a proof of work that no other one has. */
export function createTransaction(height: bigint): Transaction {
  const varint = (value: bigint): number[] =>
    value < 128n ? [Number(value)] : [Number(value & 127n) | 128, ...varint(value >> 7n)];
  return {
    version: "TX_VERSION_V3",
    inputData: bytesToBase64(Uint8Array.of(1 << 3, ...varint(++created), 2 << 3, ...varint(height))),
    pubKey: "ab".repeat(32),
    signature: { algo: "vega/ed25519", value: "0f".repeat(64), version: 1 },
    pow: { tid: created.toString(16).padStart(64, "0"), nonce: "1" },
  };
}

/** The first member that is missing or malformed, as far as that shows without cryptography. */
function findProblem(tx: Transaction | undefined): string | undefined {
  if (tx === undefined) return "tx (is required)";
  const { pubKey, address, inputData = "", signature } = tx;
  // A number, too, counts as a version.
  const version: unknown = tx.version ?? 0;
  if (version === 0 || version === "TX_VERSION_UNSPECIFIED") return "tx.version (is required)";
  if (version !== 2 && version !== 3 && !versions.includes(version)) return "tx.version (is not supported)";
  if (pubKey === undefined && address === undefined) return "tx.from (is required)";
  if (pubKey !== undefined && !/^[0-9a-f]{64}$/i.test(pubKey)) {
    return "tx.from.pub_key (should be a valid vega public key)";
  }
  if (inputData === "") return "tx.input_data (is required)";
  if (!signature) return "tx.signature (is required)";
  const { value = "", algo, version: algoVersion } = signature;
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

/** The members of an object that the gateway reads, each with the test of its type or with its own members. */
interface Shape {
  readonly [name: string]: Shape | ((value: unknown) => boolean);
}

const isText = (value: unknown) => typeof value === "string";
const isUint32 = (value: unknown) => typeof value === "number" && value >>> 0 === value;
const isUint64 = (value: unknown) => typeof value === "string" && /^\d+$/.test(value) && BigInt(value) < 2n ** 64n;
const versions: readonly unknown[] = ["TX_VERSION_UNSPECIFIED", "TX_VERSION_V2", "TX_VERSION_V3"];

const bodyShape: Shape = {
  tx: {
    inputData: (value) => typeof value === "string" && base64ToBytes(value) !== undefined,
    address: isText,
    pubKey: isText,
    version: (value) => versions.includes(value) || isUint32(value),
    signature: { algo: isText, value: isText, version: isUint32 },
    pow: { tid: isText, nonce: isUint64 },
  },
};

/** Reads the body of a check. As on a node, unknown members are ignored, and `null` counts as not given. */
export function readTransaction(body: string): Transaction | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.trim() === "" ? "{}" : body);
  } catch (error) {
    throw new GatewayError(3, (error as SyntaxError).message);
  }
  const { tx } = readObject(parsed, bodyShape, "the body") as { tx?: Transaction };
  if (tx === undefined) return undefined;
  const texts = [tx.address, tx.pubKey, tx.signature?.algo, tx.signature?.value, tx.pow?.tid];
  const inputBytes = base64ToBytes(tx.inputData ?? "")?.length ?? 0;
  const size = texts.reduce((size, text = "") => size + text.length, inputBytes);
  if (size > largestRequest) throw tooLarge(size, largestRequest);
  return tx;
}

function readObject(value: unknown, shape: Shape, place: string): object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new GatewayError(3, `expected ${place} to be an object, got ${JSON.stringify(value)}`);
  }
  const members = Object.entries(value).flatMap(([name, member]) => {
    const type = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (type === undefined || member === null) return [];
    if (typeof type === "object") return [[name, readObject(member, type, name)]];
    if (type(member)) return [[name, member]];
    throw new GatewayError(3, `invalid value for ${place}.${name}: ${JSON.stringify(member)}`);
  });
  return Object.fromEntries(members);
}

/**
 * Reads the block height in a transaction's `inputData`, a protobuf message that begins with two numbers: a nonce and the height, fields
 * 1 and 2. Zero if the message has no height; `undefined` if it ends within a number.
 */
function readBlockHeight(data: Uint8Array): bigint | undefined {
  let height = 0n;
  for (let offset = 0; offset < data.length; ) {
    const tag = data[offset++] ?? 0;
    if ((tag & 7) !== 0) break;
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = data[offset++];
      if (byte === undefined) return undefined;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    if (tag === 2 << 3) height = value;
  }
  return height;
}
