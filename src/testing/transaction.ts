import type { TransactionVersion } from "../../generated/enums.js";
import type { Transaction } from "../../generated/types.js";
import { isDigits } from "../values/digits.js";
import { base64ToBytes, describeIllegalBase64 } from "./base64.js";
import { GatewayError } from "./errors.js";

/** The versions by their numbers; v0.74 nodes have no name for 1 and take it as a number. */
const versions: Readonly<Record<TransactionVersion, number>> = {
  TX_VERSION_UNSPECIFIED: 0,
  TX_VERSION_V2: 2,
  TX_VERSION_V3: 3,
};

/** A transaction as the gateway of a node reads it from JSON. */
export interface ParsedTransaction {
  /** With the JSON names and types of the description, whatever names and types the caller used. */
  tx: Transaction;
  version: number;
  inputData: Uint8Array;
  /** The size of the message on the way to the core, in bytes, without tags. */
  size: number;
}

/**
 * Reads the body of a check: JSON or `snake_case` names, 64-bit integers as strings or numbers, unknown members ignored.
 *
 * @returns `undefined` if the body has no transaction.
 * @throws {@link GatewayError} for a body that does not parse.
 */
export function parseTransaction(body: string): ParsedTransaction | undefined {
  if (body.trim() === "") return undefined;
  const message = new MessageReader(parseJson(body)).message("tx");
  if (message === undefined) return undefined;
  const signature = message.message("signature");
  const pow = message.message("pow");
  const inputData = message.text("inputData");
  const texts = {
    address: message.text("address"),
    pubKey: message.text("pubKey"),
    algo: signature?.text("algo"),
    value: signature?.text("value"),
    tid: pow?.text("tid"),
  };
  const version = message.version("version");
  const bytes = decodeBytes(inputData ?? "");
  const signatureVersion = signature?.unsigned("version", 32);
  const nonce = pow?.unsigned("nonce", 64);
  return {
    version,
    inputData: bytes,
    size: Object.values(texts).reduce((size, text = "") => size + text.length, bytes.length),
    tx: {
      inputData,
      address: texts.address,
      pubKey: texts.pubKey,
      version: (Object.keys(versions) as TransactionVersion[]).find((name) => versions[name] === version),
      signature: signature && {
        algo: texts.algo,
        value: texts.value,
        version: signatureVersion === undefined ? undefined : Number(signatureVersion),
      },
      pow: pow && { tid: texts.tid, nonce: nonce === undefined ? undefined : `${nonce}` },
    },
  };
}

/** A JSON number, by its digits: a JavaScript number would lose those of a 64-bit integer. */
class Numeral {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

function parseJson(text: string): unknown {
  try {
    JSON.parse(text);
  } catch (error) {
    throw new GatewayError(3, (error as SyntaxError).message);
  }
  // Numbers become objects, so that a reviver sees their digits.
  const tagged = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g, (token) =>
    token.startsWith('"') ? token : `{"numeral":"${token}"}`,
  );
  return JSON.parse(tagged, (_, value: unknown) =>
    typeof value === "object" && value !== null && "numeral" in value ? new Numeral(String(value.numeral)) : value,
  );
}

/** Reads the members of a JSON object by the types of a message. A `null` counts as not given. */
class MessageReader {
  readonly #members: ReadonlyMap<string, unknown>;

  constructor(value: unknown) {
    if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof Numeral) {
      throw mismatch(value, "map[string]json.RawMessage");
    }
    this.#members = new Map(Object.entries(value));
  }

  message(name: string): MessageReader | undefined {
    const value = this.#get(name);
    return value === undefined ? undefined : new MessageReader(value);
  }

  text(name: string): string | undefined {
    const value = this.#get(name);
    if (value === undefined || typeof value === "string") return value;
    throw mismatch(value, "string");
  }

  unsigned(name: string, bits: number): bigint | undefined {
    const value = this.#get(name);
    if (value === undefined) return undefined;
    const numeral = typeof value === "string" && /^-?\d/.test(value) ? new Numeral(value) : value;
    const digits = numeral instanceof Numeral ? numeral.digits : "";
    if (!/^\d+$/.test(digits) || BigInt(digits) >> BigInt(bits) !== 0n) throw mismatch(numeral, `uint${bits}`);
    return BigInt(digits);
  }

  /** A version by its name or as a number. */
  version(name: string): number {
    const value = this.#get(name) ?? "TX_VERSION_UNSPECIFIED";
    if (value instanceof Numeral && isDigits(value.digits)) return Number(value.digits);
    if (typeof value !== "string") throw mismatch(value, "int32");
    const known = Object.entries(versions).find(([each]) => each === value);
    if (known !== undefined) return known[1];
    const quoted = JSON.stringify(JSON.stringify(value));
    throw new GatewayError(3, `unknown value ${quoted} for enum vega.commands.v1.TxVersion`);
  }

  #get(name: string): unknown {
    const snakeCase = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return this.#members.get(name) ?? this.#members.get(snakeCase) ?? undefined;
  }
}

function mismatch(value: unknown, type: string): GatewayError {
  return new GatewayError(3, `json: cannot unmarshal ${kindOf(value, type)} into Go value of type ${type}`);
}

/** What Go calls a JSON value. It shows a number if a number was expected. */
function kindOf(value: unknown, type: string): string {
  if (Array.isArray(value)) return "array";
  if (value instanceof Numeral) return type.includes("int") ? `number ${value.digits}` : "number";
  return typeof value === "boolean" ? "bool" : typeof value;
}

function decodeBytes(base64: string): Uint8Array {
  const bytes = base64ToBytes(base64);
  if (bytes === undefined) throw new GatewayError(3, describeIllegalBase64(base64));
  return bytes;
}
