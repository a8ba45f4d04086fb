import type { ArgumentFlag } from "../argument-flags.js";
import type { Presentation } from "../output/columns.js";
import { formatTime } from "../output/columns.js";

/** The flags that decide the content of a file, with their values as text. A flag without a value has an empty one. */
export type ContentFlags = Readonly<Record<string, string>>;

export interface ContentSettings {
  readonly command: string;
  /** The flags of the operation, and the argument that was read from them. */
  readonly arguments: readonly ArgumentFlag[];
  readonly argument: object;
  readonly format: string;
  readonly columns: readonly { readonly name: string }[];
  readonly presentation: Presentation;
  /** Further flags. Those without a value are left out. */
  readonly others?: Readonly<Record<string, string | number | boolean | undefined>>;
}

export function contentFlags(settings: ContentSettings): ContentFlags {
  const { command, argument, format, columns, presentation, others } = settings;
  const entered = settings.arguments.map(({ flag, path, spec }) => {
    const value = path.reduce(
      (group: unknown, name) => (group as Record<string, unknown> | undefined)?.[name],
      argument,
    );
    return [flag.name, spec.kind === "nanoseconds" && value !== undefined ? formatTime(String(value)) : value];
  });
  const all = [
    ["command", command],
    ...entered,
    ["format", format],
    ["columns", columns.map(({ name }) => name).join(",")],
    ...Object.entries({ ...presentation, ...others }),
  ] as const;
  return Object.fromEntries(
    all.flatMap(([name, value]) => (value === undefined || value === false ? [] : [[name, textOf(value)]])),
  );
}

/** The order of the values of a filter means nothing. */
const textOf = (value: unknown) =>
  value === true ? "" : Array.isArray(value) ? value.map(String).sort().join(",") : String(value);

/** Names each flag that differs; empty if none does. */
export function describeDifferences(before: ContentFlags, now: ContentFlags): string {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names]
    .filter((name) => before[name] !== now[name])
    .map((name) => `expected ${describeFlag(name, before[name])}, got ${describeFlag(name, now[name])}`)
    .join("; ");
}

function describeFlag(name: string, value: string | undefined): string {
  if (name === "command") return `the command ${value}`;
  return value === undefined ? `no --${name}` : value === "" ? `--${name}` : `--${name} ${value}`;
}
