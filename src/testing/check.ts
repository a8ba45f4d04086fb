import type { TransactionVersion } from "../../generated/enums.js";
import type { Transaction, TransactionCheckResult } from "../../generated/types.js";
import { GatewayError, tooLarge } from "./errors.js";
import { base64ToBytes } from "./wire.js";

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

/** A transaction as the gateway of a node reads it. */
interface ParsedTransaction {
  tx: Transaction;
  version: number;
  inputData: Uint8Array;
}

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

/**
 * Reads the body of a check. As on a node, unknown members are ignored, and `null` counts as not given.
 *
 * @returns `undefined` if the body has no transaction.
 * @throws {@link GatewayError} for a body of other types, and for one that is too large.
 */
export function readTransaction(body: string): ParsedTransaction | undefined {
  const members = body.trim() === "" ? undefined : toObject(parseJson(body), "the body");
  const tx = toObject(members?.["tx"], "tx");
  if (tx === undefined) return undefined;
  const [signature, pow] = [toObject(tx["signature"], "tx.signature"), toObject(tx["pow"], "tx.pow")];
  const inputData = base64ToBytes(readText(tx, "inputData") ?? "");
  if (inputData === undefined) throw invalid("tx.inputData", "base64", tx["inputData"]);
  const version = readVersion(tx["version"] ?? 0);
  const nonce = pow && readText(pow, "nonce");
  if (nonce !== undefined && !(/^\d+$/.test(nonce) && BigInt(nonce) < 2n ** 64n)) {
    throw invalid("tx.pow.nonce", "digits of 64 bits", nonce);
  }
  const parsed: Transaction = {
    inputData: readText(tx, "inputData"),
    address: readText(tx, "address"),
    pubKey: readText(tx, "pubKey"),
    version: versionNames.find((name) => versions[name] === version),
    signature: signature && {
      algo: readText(signature, "algo"),
      value: readText(signature, "value"),
      version: readUint32(signature, "version"),
    },
    pow: pow && { tid: readText(pow, "tid"), nonce: nonce as `${bigint}` | undefined },
  };
  const texts = [parsed.address, parsed.pubKey, parsed.signature?.algo, parsed.signature?.value, parsed.pow?.tid];
  const size = texts.reduce((size, text = "") => size + text.length, inputData.length);
  if (size > largestRequest) throw tooLarge(size, largestRequest);
  return { tx: parsed, version, inputData };
}

/** The versions by their numbers; nodes have no name for 1, and take it as a number. */
const versions: Readonly<Record<TransactionVersion, number>> = {
  TX_VERSION_UNSPECIFIED: 0,
  TX_VERSION_V2: 2,
  TX_VERSION_V3: 3,
};
const versionNames = Object.keys(versions) as TransactionVersion[];

function readVersion(value: unknown): number {
  const version = versionNames.some((name) => name === value) ? versions[value as TransactionVersion] : value;
  if (Number.isInteger(version) && Number(version) >= 0) return Number(version);
  throw invalid("tx.version", "the name of a version", value);
}

type Members = Readonly<Record<string, unknown>>;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new GatewayError(3, (error as SyntaxError).message);
  }
}

const invalid = (place: string, expected: string, got: unknown) =>
  new GatewayError(3, `expected ${place} to be ${expected}, got ${JSON.stringify(got)}`);

function toObject(value: unknown, place: string): Members | undefined {
  if (value === undefined || (value === null && place !== "the body")) return undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid(place, "an object", value);
  return value as Members;
}

function readText(members: Members, name: string): string | undefined {
  const value = members[name] ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  throw invalid(name, "a string", value);
}

function readUint32(members: Members, name: string): number | undefined {
  const value = members[name] ?? undefined;
  if (value === undefined || (typeof value === "number" && value >>> 0 === value)) return value;
  throw invalid(name, "an integer of 32 bits", value);
}

/**
 * Reads the block height in a transaction's `inputData`: field 2 of a protobuf message. Its command is not read.
 *
 * @returns Zero if the message has no height; `undefined` if the data is no protobuf message.
 */
function readBlockHeight(data: Uint8Array): bigint | undefined {
  let offset = 0;
  let height = 0n;
  const readVarint = (): bigint | undefined => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = data[offset++];
      if (byte === undefined) return undefined;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    return undefined;
  };
  while (offset < data.length) {
    const tag = readVarint();
    if (tag === undefined || tag >> 3n === 0n) return undefined;
    const type = tag & 7n;
    const value = type === 1n ? 8n : type === 5n ? 4n : type === 0n || type === 2n ? readVarint() : undefined;
    if (value === undefined) return undefined;
    if (tag === heightTag) height = value;
    if (type === 0n) continue;
    if (BigInt(offset) + value > BigInt(data.length)) return undefined;
    offset += Number(value);
  }
  return height;
}

/** Field 2, a varint. */
const heightTag = 2n << 3n;
