import { unlessThrown } from "../errors/index.js";
import { canonicalId, isId } from "../values/names.js";
import { microsecondOf, toBytes, toNanoseconds } from "../values/times.js";

/** The bytes of base64, in which Go skips line breaks. `undefined` for another text. */
export const base64ToBytes = (text: string): Uint8Array | undefined =>
  unlessThrown(() => toBytes(text.replace(/[\r\n]/g, "")));

/** The same bytes as a text with a character for each, which sorts as they do. */
export const base64ToBinary = (text: string): string | undefined => {
  const bytes = base64ToBytes(text);
  return bytes && Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
};

/** The object of a JSON text, without members that are `null` at any depth. `undefined` for another value or text. */
export function parseObject(json: string): Record<string, unknown> | undefined {
  const value = unlessThrown(() => JSON.parse(json, (_, member) => member ?? undefined) ?? {});
  return typeof value !== "object" || Array.isArray(value) ? undefined : value;
}

/** The ids that nodes know by a name: each is the byte of its index. */
const namedIds = "VOTE - - network XYZalpha XYZbeta XYZdelta XYZepsilon XYZgamma fBTC fDAI fEURO fUSDC".split(" ");

/** The bytes of an id in hex, by which nodes compare and sort; `undefined` for a text that is no id. */
export function bytesOfId(id: string): string | undefined {
  if (isId(id)) return namedIds.includes(id) ? namedIds.indexOf(id).toString(16).padStart(2, "0") : canonicalId(id);
  return id === "" ? "" : undefined;
}

/** @throws {@link NodeError} with status 400 for an id that nodes reject. */
export function readId(id: string, failure: ErrorDetail): string {
  const inner = `decoding '${id}': not a valid hex id (or well known exception)`;
  const bytes = bytesOfId(id);
  if (bytes === undefined) throw dataNodeError(3, { ...failure, inner });
  return bytes;
}

/** Times in the unit of a node's database: whole microseconds since 1970, which a number holds until the year 2255. */
export type Microseconds = number;

/** Cuts Unix nanoseconds to microseconds, as v0.74 nodes do with every time. */
export function toMicroseconds(nanoseconds: string | bigint): Microseconds {
  // Slicing digits is several times faster than BigInt arithmetic, which matters with a million records.
  if (typeof nanoseconds === "string" && /^[1-9]\d{3,}$/.test(nanoseconds)) return Number(nanoseconds.slice(0, -3));
  return Number(microsecondOf(BigInt(nanoseconds)));
}

/** Unix nanoseconds in digits, as on the wire. */
export const toNanosecondDigits = (time: Microseconds): `${bigint}` => `${BigInt(time) * 1000n}`;

/** RFC 3339 in UTC without zeros at the end of the fraction, as Go writes a time. */
export function toRfc3339(time: Microseconds): string {
  const seconds = Math.floor(time / 1e6);
  const fraction = String(time - seconds * 1e6).padStart(6, "0");
  return `${new Date(seconds * 1000).toISOString().slice(0, -5)}.${fraction}Z`.replace(/\.?0+Z$/, "Z");
}

/** Reads RFC 3339, cut to microseconds; `undefined` for another text. */
export const parseRfc3339 = (text: string): Microseconds | undefined =>
  text.includes("T") ? unlessThrown(() => toMicroseconds(toNanoseconds(text))) : undefined;

/** A response without its CORS headers. */
export type Reply = { status: number; body: string | null; headers: Record<string, string> };

/** Errors of the data node carry two `Content-Type` headers; `fetch` shows them as one. */
export const errorType = { "Content-Type": "application/json, application/grpc" };

/** The HTTP status that the gateway makes of each status code of gRPC, from 1 on. */
const httpStatuses = [0, 408, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401];

/** The gRPC status code that goes with an HTTP status; 2, "unknown", if none does. */
export function grpcCode(status: number): number {
  const code = status === 500 ? 13 : httpStatuses.indexOf(status);
  return code < 0 ? 2 : code;
}

export class NodeError extends Error {
  readonly body: { code: number; message: string; details: object[] };
  readonly status: number;

  constructor(code: number, message: string, details: object[] = []) {
    super(message);
    this.body = { code, message, details };
    this.status = httpStatuses[code] ?? 500;
  }
}

/**
 * An error of the gateway in front of the data node. On v0.74 nodes such a response has one `Content-Type`, neither
 * block nor rate headers, and costs no token.
 */
export class GatewayError extends NodeError {}

export interface ErrorDetail {
  code: number;
  message: string;
  inner?: string;
}

/** An error of the data node, with its cause in the details: of an invalid argument, or an internal one. */
export function dataNodeError(code: 3 | 13, { inner = "", ...detail }: ErrorDetail): NodeError {
  const message = code === 3 ? "InvalidArgument error" : "Internal error";
  return new NodeError(code, message, [{ "@type": "type.googleapis.com/vega.ErrorDetail", ...detail, inner }]);
}
