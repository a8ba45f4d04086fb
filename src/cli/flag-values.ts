import { parseArgs } from "node:util";
import { quote, UsageError } from "./exit.js";
import { type Flag, generalFlags } from "./flags.js";
import { suggest } from "./suggest.js";

/** The flags that were entered. Each method reads one as a type and names it in the error if it is not of that type. */
export class Values {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }

  /** All flags that were entered. */
  entries(): [name: string, values: readonly string[]][] {
    return [...this.#values];
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  /** The last value: a later flag overrides an earlier one. */
  text(name: string): string | undefined {
    const value = this.all(name).at(-1);
    return value === "" ? refuseFlag(name, "a value", value) : value;
  }

  choice<Name extends string>(name: string, choices: readonly Name[]): Name | undefined {
    const value = this.text(name);
    const choice = choices.find((each) => each === value);
    if (value === undefined || choice !== undefined) return choice;
    throw new UsageError(
      `Expected --${name} to be one of ${choices.join(", ")}, got ${quote(value)}.${suggest(value, choices)}`,
    );
  }

  integer(name: string, { minimum = 1, maximum = Number.MAX_SAFE_INTEGER } = {}): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (number >= minimum && number <= maximum) return number;
    const range = maximum === Number.MAX_SAFE_INTEGER ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
    return refuseFlag(name, `an integer ${range}`, value);
  }

  /** A duration in milliseconds. */
  duration(name: string, { allowsZero = false } = {}): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const [, number, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(value) ?? [];
    const milliseconds = Number(number) * ({ ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[unit] ?? 0);
    return milliseconds > 0 || (allowsZero && milliseconds === 0)
      ? milliseconds
      : refuseFlag(name, "a duration such as 30s, 500ms or 2m", value);
  }
}

/** @throws {@link UsageError}: what was expected of a flag, and what was entered. */
export function refuseFlag(name: string, expected: string, value: string): never {
  throw new UsageError(`Expected --${name} to be ${expected}, got ${quote(value)}.`);
}

/** Reads the arguments of a command. */
export function readArgv(argv: readonly string[], flags: readonly Flag[], command: string) {
  const known = [...flags, ...generalFlags];
  const options = Object.fromEntries(
    known.map(
      ({ name, short, value }) =>
        [
          name,
          { type: value === undefined ? "boolean" : "string", multiple: true, ...(short !== undefined && { short }) },
        ] as const,
    ),
  );
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true });
  const values = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const flag = known.find(({ name }) => name === token.name);
    if (flag === undefined) {
      const hint = token.rawName.startsWith("--")
        ? suggest(
            token.rawName,
            known.map(({ name }) => `--${name}`),
          )
        : "";
      throw new UsageError(
        `${command} has no flag ${token.rawName}.${hint || ` vegaprotocol-client help ${command} lists all.`}`,
      );
    }
    if (flag.refusedBecause !== undefined) throw new UsageError(flag.refusedBecause);
    if (flag.value === undefined && token.value !== undefined) {
      throw new UsageError(`Expected --${flag.name} without a value, got ${quote(token.value)}.`);
    }
    if (
      flag.value !== undefined &&
      (token.value === undefined || (!token.inlineValue && /^--?[a-z]/i.test(token.value)))
    ) {
      throw new UsageError(`Expected a value of --${flag.name}, as in --${flag.name} ${flag.value}.`);
    }
    values.set(flag.name, [...(values.get(flag.name) ?? []), token.value ?? ""]);
  }
  return { values: new Values(values), positionals };
}

/** The flags of how pages are read. */
export const readPageFlags = (values: Values) => ({
  pageSize: values.integer("page-size", { maximum: 2 ** 31 - 1 }),
  concurrency: values.integer("concurrency"),
  catchUp: values.duration("catch-up", { allowsZero: true }),
});
