import { ArgumentError } from "../errors/index.js";
import { show } from "../values/show.js";
import { type Place, refuse, refuseUnknown } from "./refuse.js";

/** Throws an {@link ArgumentError} if the value of an option is invalid. An `undefined` option is not checked. */
export type OptionCheck = (value: unknown, place: Place) => void;

export type OptionChecks<Options> = { readonly [Name in keyof Options]-?: OptionCheck };

/**
 * Checks options by a table. A name that is not in it is rejected: a misspelled option would have no effect.
 *
 * @param owner - Who takes the options: for messages, the name of the function or the method; the operation, if the
 * options are those of a call; and the prefix of the options' names, such as `retry.`.
 * @throws {@link ArgumentError} if an option is invalid or unknown, or if the options are not an object.
 */
export function checkOptions(
  checks: Readonly<Record<string, OptionCheck>>,
  options: unknown,
  { name: owner, operation, prefix = "" }: { name: string; operation?: string | undefined; prefix?: string },
): void {
  if (!isPlainObject(options)) {
    const message = `Expected the options of ${owner} to be a plain object, got ${show(options)}.`;
    throw new ArgumentError(message, { operation, argument: "options" });
  }
  const names = Object.keys(checks);
  for (const [name, value] of Object.entries(options)) {
    const place = { operation, argument: prefix + name };
    if (!names.includes(name)) refuseUnknown(owner, `option \`${name}\``, names, place);
    if (value !== undefined) checks[name]?.(value, place);
  }
}

/** Whether a value can have named members. An AbortSignal in place of `{ signal }` would have none, and no effect. */
export const isPlainObject = (value: unknown): value is object =>
  Object.prototype.toString.call(value) === "[object Object]";

// @__NO_SIDE_EFFECTS__
export function expected(what: string, isValid: (value: unknown) => boolean): OptionCheck {
  return (value, place) => {
    if (!isValid(value)) refuse(place, what, value);
  };
}

/** Accepts an object with options of its own. `what` describes the object. */
// @__NO_SIDE_EFFECTS__
export function nested<Options>(checks: OptionChecks<Options>, what = "an object"): OptionCheck {
  return (value, place) => {
    if (!isPlainObject(value)) refuse(place, what, value);
    const { operation, argument } = place;
    checkOptions(checks, value, { name: argument, operation, prefix: `${argument}.` });
  };
}

/** For an option whose value is checked where it is converted. */
export const checkedWhenRead: OptionCheck = () => {};

const isPositiveInteger = (value: unknown) => Number.isSafeInteger(value) && Number(value) > 0;
export const isLimit = (value: unknown): boolean => isPositiveInteger(value) || value === Number.POSITIVE_INFINITY;

export const boolean = expected("a boolean", (value) => typeof value === "boolean");
export const callback = expected("a function", (value) => typeof value === "function");
export const positiveInteger = expected("a positive integer", isPositiveInteger);
export const itemLimit = expected("a positive integer, or Infinity", isLimit);
// @__NO_SIDE_EFFECTS__
export function oneOf(...values: string[]): OptionCheck {
  const names = values.map((value) => JSON.stringify(value)).join(" or ");
  return expected(names, (value) => values.some((each) => each === value));
}

/** `instanceof` does not recognize signals of another realm. */
export const abortSignal = expected("an AbortSignal", (value) => {
  const { aborted, addEventListener } = (value ?? {}) as Partial<AbortSignal>;
  return typeof aborted === "boolean" && typeof addEventListener === "function";
});

/** The longest timer of all runtimes, in milliseconds. A longer one fires immediately. */
export const longestTimer = 2 ** 31 - 1;

export const milliseconds = expected(
  `a number of milliseconds from 0 to ${longestTimer}`,
  (value) => typeof value === "number" && value >= 0 && value <= longestTimer,
);

/** The milliseconds after which something is cancelled; `Infinity` for never. */
export const deadline = expected(
  `a positive number of milliseconds up to ${longestTimer}, or Infinity`,
  (value) => typeof value === "number" && ((value > 0 && value <= longestTimer) || value === Number.POSITIVE_INFINITY),
);

/** Adds defaults to checked options. Other options are left out. */
export function withDefaults<Defaults extends object>(
  defaults: Defaults,
  options: { readonly [Name in keyof Defaults]?: Defaults[Name] | undefined },
): Defaults {
  const given = Object.entries(options).filter(([name, value]) => name in defaults && value !== undefined);
  return { ...defaults, ...Object.fromEntries(given) };
}
