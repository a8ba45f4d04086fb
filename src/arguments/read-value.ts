import { ArgumentError } from "../errors/index.js";
import { canonicalId } from "../values/names.js";
import { unixNanoseconds } from "../values/times.js";
import type { Value } from "./operation.js";
import { listNames, type Place, refuse, refuseByRule } from "./refuse.js";

/** Checks a value and returns what is sent; `undefined` sends nothing. */
export function readValue(spec: Value, value: unknown, place: Place): unknown {
  switch (spec.kind) {
    case "string":
      return canonicalId(readString(value, place));
    case "cursor":
      return readString(value, place);
    case "enum":
      return readEnum(spec, value, place);
    case "boolean":
      return typeof value === "boolean" ? value : refuse(place, "a boolean", value);
    case "int32":
      return readInteger(spec, value, place);
    case "nanoseconds":
      return readTime(value, place);
    case "array":
      return readArray(spec, value, place);
    case "json":
      return readJson(value, place);
  }
}

function readString(value: unknown, place: Place): string {
  if (typeof value !== "string" || value === "") return refuse(place, "a non-empty string", value);
  // encodeURIComponent throws for half of a surrogate pair, without naming the argument.
  return /\p{Surrogate}/u.test(value) ? refuse(place, "well-formed Unicode", value) : value;
}

function readEnum({ values, pattern }: Extract<Value, { kind: "enum" }>, value: unknown, place: Place): string {
  const isKnown = typeof value === "string" && values.includes(value);
  if (isKnown || (typeof value === "string" && pattern !== undefined && new RegExp(pattern).test(value))) return value;
  const [, example = values[0]] = values;
  return refuse(place, pattern === undefined ? `one of ${listNames(values)}` : `a name such as "${example}"`, value);
}

const int32 = 2 ** 31;

function readInteger(spec: Extract<Value, { kind: "int32" }>, value: unknown, place: Place): number {
  const { minimum = -int32, maximum = int32 - 1 } = spec;
  if (Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum) return Number(value);
  return refuse(place, `an integer from ${minimum} to ${maximum}`, value);
}

function readTime(value: unknown, place: Place): string {
  const time = unixNanoseconds(value);
  if (time !== undefined && BigInt.asIntN(64, time) === time) return time.toString();
  // A query takes no RFC 3339 text: it is sent as digits.
  const hint = typeof value === "string" ? " (toNanoseconds() reads RFC 3339 text)" : "";
  const expected = `Unix nanoseconds as a bigint or digits, a Date or a Temporal.Instant, within 64 bits${hint}`;
  return refuse(place, expected, value);
}

/** An empty filter is not sent. An empty list that needs a value is rejected: a computed one must not select everything. */
function readArray({ items, minItems = 0 }: Extract<Value, { kind: "array" }>, value: unknown, place: Place): unknown {
  if (!Array.isArray(value)) return refuse(place, "an array", value);
  if (value.length < minItems) return refuseByRule(place, "must not be empty; omit it to list all");
  if (value.length === 0) return undefined;
  // Array.from reads holes, too.
  return Array.from(value, (item, index) => {
    const itemPlace = { ...place, argument: `${place.argument}[${index}]` };
    const read = readValue(items, item, itemPlace);
    // v0.79 nodes split values at commas (observed), v0.74 nodes find nothing.
    return typeof read === "string" && read.includes(",")
      ? refuse(itemPlace, "one value, without a comma", item)
      : read;
  });
}

const plainTypes = ["[object Object]", "[object Array]"];
const typeOf = (value: object): string => Object.prototype.toString.call(value);

/** Copies a JSON object. Refuses what `JSON.stringify` would silently change, or would throw for without naming the place. */
function readJson(value: unknown, place: Place): object {
  const names = new Map<unknown, string>();
  let at = place;
  function check(this: unknown, key: string, member: unknown) {
    const parent = names.get(this);
    if (parent !== undefined) at = { ...place, argument: parent + (Array.isArray(this) ? `[${key}]` : `.${key}`) };
    if (typeof member === "bigint") refuse(at, "a string", member);
    if (typeof member === "number" && !Number.isSafeInteger(member)) refuse(at, "a string or a safe integer", member);
    // JSON.stringify sends a Map as an empty object, and what is missing in an array as null.
    const isOther = typeof member === "object" && member !== null && !plainTypes.includes(typeOf(member));
    const isMissing = member === undefined && Array.isArray(this);
    if (isOther || isMissing || typeof member === "function" || typeof member === "symbol") {
      refuse(at, "a JSON value", member);
    }
    names.set(member, at.argument);
    return member;
  }
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(value, check) ?? "null");
  } catch (error) {
    throw ArgumentError.is(error) ? error : refuse(at, "a JSON value, which does not contain itself");
  }
  return typeof copy === "object" && copy !== null && !Array.isArray(copy) ? copy : refuse(place, "an object", value);
}

/**
 * Checks the address of a node, and returns it without a `/` or `/api/v2` at its end.
 *
 * @throws {@link ArgumentError} if it is not an address that requests can be sent to.
 */
export function readBaseUrl(baseUrl: unknown, place: Place = { argument: "baseUrl" }): string {
  const expected = 'an address such as "https://node.example"';
  // A relative address works in a browser, where the server of a page often forwards requests to a node.
  const page = (globalThis as { location?: { href?: string } }).location?.href;
  const url = parseUrl(baseUrl, page);
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return typeof baseUrl === "string" && !isPlainUrl.test(baseUrl)
      ? refuse(place, `${expected}. The value is not shown, because it may contain credentials`)
      : refuse(place, expected, baseUrl);
  }
  if (url.username !== "" || url.password !== "") {
    refuse(place, "an address without credentials, which `fetch` does not accept. Use `headers`");
  }
  if (url.search !== "" || url.hash !== "") refuse(place, "an address without query and fragment");
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(/(?:\/+api\/+v2)$/, "");
}

/** An optional scheme, a host, an optional port and an optional path. Such an address cannot contain credentials. */
const isPlainUrl = /^(?:[a-z][a-z\d+.-]*:\/\/)?[\w.-]*(?::\d+)?(?:\/[\w./-]*)?$/i;

function parseUrl(value: unknown, base: string | undefined): URL | undefined {
  try {
    return new URL(value as string, base);
  } catch {
    return undefined;
  }
}
