import { unlessThrown } from "../errors/index.js";
import { canonicalId, isId } from "../values/names.js";
import { isYearOrSeconds, type NanosecondTime, toNanoseconds } from "../values/times.js";
import { isPlainObject } from "./check-options.js";
import type { Value } from "./operation.js";
import { listNames, type Place, refuse, refuseByRule } from "./refuse.js";

export function readValue(spec: Value, value: unknown, place: Place): unknown {
  switch (spec.kind) {
    case "id":
      return readId(value, place);
    case "text":
      return readString(value, place);
    case "enum":
      return readEnum(spec, value, place);
    case "boolean":
      return typeof value === "boolean" ? value : refuse(place, "a boolean", value);
    case "int32":
      return readInteger(value, place, spec);
    case "nanoseconds":
      return String(readTime(place, value));
    case "array":
      return readArray(spec, value, place);
    case "json":
      return readObject(value, place);
  }
}

/** Returns an id in the form in which nodes return it. */
export function readId(value: unknown, place: Place): string {
  if (typeof value === "string" && isId(value)) return canonicalId(value);
  return refuse(place, 'an id: an even number of hexadecimal digits, or a name such as "network"', value);
}

function readString(value: unknown, place: Place): string {
  if (typeof value !== "string" || value === "") return refuse(place, "a non-empty string", value);
  // encodeURIComponent throws for half of a surrogate pair, without naming the argument.
  return /\p{Surrogate}/u.test(value) ? refuse(place, "well-formed Unicode", value) : value;
}

function readEnum({ values, pattern }: Extract<Value, { kind: "enum" }>, value: unknown, place: Place): string {
  const fits = (name: string) => values.includes(name) || (pattern !== undefined && new RegExp(pattern).test(name));
  if (typeof value === "string" && fits(value)) return value;
  const [, example = values[0]] = values;
  return refuse(place, pattern === undefined ? `one of ${listNames(values)}` : `a name such as "${example}"`, value);
}

function readInteger(value: unknown, place: Place, { minimum = -(2 ** 31), maximum = 2 ** 31 - 1 }): number {
  if (Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum) return Number(value);
  return refuse(place, `an integer from ${minimum} to ${maximum}`, value);
}

/** Reads a time as Unix nanoseconds. `others` are values that the caller accepts as well, for the message. */
export function readTime(place: Place, value: unknown, others = ""): bigint {
  // Taken for nanoseconds, a year or seconds since 1970 would select everything: they are a moment in 1970.
  const time = isYearOrSeconds(value) ? undefined : unlessThrown(() => toNanoseconds(value as NanosecondTime));
  const isKnown = time !== undefined && BigInt.asIntN(64, time) === time;
  const expected =
    'a time such as "2024-02-09" or "2024-02-09T16:54:49.123Z", a Date, or Unix nanoseconds since 2000 within 64 bits';
  return isKnown ? time : refuse(place, others + expected, value);
}

/** An empty array is rejected: a computed one must not select everything. */
function readArray({ items }: Extract<Value, { kind: "array" }>, value: unknown, place: Place): unknown {
  if (!Array.isArray(value)) return refuse(place, "an array", value);
  if (value.length === 0) return refuseByRule(place, "must not be empty; omit it to list all");
  // Array.from also reads holes.
  return Array.from(value, (item, index) =>
    readValue(items, item, { ...place, argument: `${place.argument}[${index}]` }),
  );
}

function readObject(value: unknown, place: Place): object {
  const copy = value === undefined ? undefined : copyJson(value, place);
  return isPlainObject(copy) ? copy : refuse(place, "an object", value);
}

/** More than any transaction has. Values of thousands of levels exceed the stack. */
const mostLevels = 100;

/** Copies a JSON value. Refuses values that `JSON.stringify` would change, or would throw for without their path. */
function copyJson(value: unknown, place: Place, parents: readonly unknown[] = []): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "bigint") return refuse(place, "a string", value);
  if (typeof value === "number" && !Number.isSafeInteger(value)) refuse(place, "a string or a safe integer", value);
  if (typeof value === "number") return value;
  if (parents.includes(value)) return refuse(place, "a JSON value, which does not contain itself");
  if (parents.length === mostLevels) refuse(place, `JSON of at most ${mostLevels} levels`);
  const copyMember = (member: unknown, name: string) =>
    copyJson(member, { ...place, argument: place.argument + name }, [...parents, value]);
  // Array.from also reads holes.
  if (Array.isArray(value)) return Array.from(value, (item, index) => copyMember(item, `[${index}]`));
  const { toJSON } = Object(value) as { toJSON?: unknown };
  if (typeof toJSON === "function") return copyJson(toJSON.call(value), place, [...parents, value]);
  // JSON.stringify would send a Map as an empty object.
  if (Object.prototype.toString.call(value) !== "[object Object]") return refuse(place, "a JSON value", value);
  const members = Object.entries(value as object).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, copyMember(member, `.${name}`)]));
}

/** Checks the address of a node, and returns it without a `/` or `/api/v2` at its end. */
export function readBaseUrl(baseUrl: unknown, place: Place = { argument: "baseUrl" }): string {
  const expected = 'an address such as "https://node.example"';
  // A relative address works in a browser, where the server of a page often forwards requests to a node.
  const page = (globalThis as { location?: { href?: string } }).location?.href;
  // The text of `undefined` or an object would be a relative address.
  const { href = baseUrl } = Object(baseUrl) as { href?: unknown };
  const url = typeof href === "string" && URL.canParse(href, page) ? new URL(href, page) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return typeof baseUrl === "string" && !isPlainUrl.test(baseUrl)
      ? refuse(place, `${expected}. The value is not shown, because it may contain credentials`)
      : refuse(place, expected, baseUrl);
  }
  if (url.username || url.password)
    refuse(place, "an address without credentials, which `fetch` does not accept. Use `headers`");
  if (url.search || url.hash) refuse(place, "an address without query and fragment");
  return `${url.origin}${url.pathname}`.replace(/(?:\/+api\/+v2)?\/*$/, "");
}

/** An optional scheme, a host, an optional port and an optional path. Such an address cannot contain credentials. */
const isPlainUrl = /^(?:[a-z][a-z\d+.-]*:\/\/)?[\w.-]*(?::\d+)?(?:\/[\w./-]*)?$/i;
