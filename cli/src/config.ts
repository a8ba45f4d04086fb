/** `vegaprotocol.toml`: named nodes, and defaults of flags. */
import { readFile } from "node:fs/promises";
import type { Command, Option } from "commander";
import { allCommands, isEntered, pathOf } from "./command.js";
import { decode, didYouMean, reasons, UsageError } from "./errors.js";
import { Flag } from "./flags.js";
import type { Io } from "./io.js";
import { extensionsOf } from "./output/file.js";

const fileOf = ({ env }: Pick<Io, "env">) => env["VEGA_CONFIG"] || "vegaprotocol.toml";

/** Addresses by name in `nodes`, and values by flag in `defaults` and in sections of commands. */
type Config = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * Whether a text can be the name of a node. An address has a dot, a port or a scheme: it must not lead to another one,
 * because somebody else may have written the file.
 */
export const isNodeName = (text: string): boolean => /^(?!localhost$)[\w-]+$/i.test(text);

/** Reads the file that VEGA_CONFIG names, or the one in the working folder if there is one. */
export async function readConfig(io: Pick<Io, "env">): Promise<Config> {
  const name = fileOf(io);
  try {
    const text = decode(await readFile(name));
    const { parse } = await import("smol-toml");
    const config: Record<string, unknown> = parse(text);
    const wrong = Object.keys(config).find((section) => !isTable(config[section]));
    if (wrong !== undefined) throw new Error(`Expected "${wrong}" to be in a section, such as [defaults].`);
    const { nodes = {} } = config as Config;
    const address = Object.keys(nodes).find((name) => !isNodeName(name));
    if (address !== undefined)
      throw new Error(`Expected "${address}" of [nodes] to be a name of letters, digits, - and _, such as main.`);
    const other = Object.keys(nodes).find((name) => [nodes[name]].flat().some((url) => typeof url !== "string"));
    const expected = 'an address, or several, such as ["https://a.example"].';
    if (other !== undefined) throw new Error(`Expected "${other}" of [nodes] to be ${expected}`);
    return config as Config;
  } catch (error) {
    const { code, message, line, column } = error as NodeJS.ErrnoException & { line?: number; column?: number };
    if (code === "ENOENT" && !io.env["VEGA_CONFIG"]) return {};
    const reason = reasons[code ?? ""] ?? message.replaceAll(/\s*\n[\s\S]*/g, ".");
    const place = line === undefined ? "" : `, line ${line}, column ${column}`;
    throw new UsageError(`Cannot read ${name}${place}: ${reason}`);
  }
}

/**
 * Somebody else may have written the file in the working folder: it must not replace files or send secrets. A server of
 * PostgreSQL can ask for the password in PGPASSWORD.
 */
const isUntrusted = (name: string, value: unknown): boolean =>
  ["output", "force", "header"].includes(name) || /"postgres(?:ql)?:/.test(JSON.stringify(value));

const isTable = (value: unknown) =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** Sets the flags of a command that were not entered. Flags of a command come before flags of all commands. */
export async function applyDefaults(io: Io, program: Command, command: Command): Promise<void> {
  // `version` and `completion` work with a broken file, too.
  if (flagsOf(command).every((name) => name === "verbose")) return;
  // The command `nodes` has no section: the table of that name has addresses.
  const { nodes: _, ...config } = await readConfig(io);
  const unknown = (what: string, name: string, known: readonly string[]) =>
    new UsageError(`Unknown ${what} in ${fileOf(io)}.${didYouMean(name, known)}`);
  const own = pathOf(command);
  const all = allCommands(program);
  const sections = new Map(all.map((each) => [pathOf(each), flagsOf(each)]));
  sections.set("defaults", all.flatMap(flagsOf));
  for (const [section, flags] of Object.entries(config)) {
    const known = sections.get(section);
    if (known === undefined) throw unknown(`section [${section}]`, section, [...sections.keys()]);
    const nested = Object.keys(flags).find((name) => sections.has(name) && isTable(flags[name]));
    if (nested !== undefined) throw unknown(`section [${section}.${nested}]`, nested, [...sections.keys()]);
    const wrong = Object.keys(flags).find((name) => !known.includes(name));
    if (wrong !== undefined) throw unknown(`flag "${wrong}" of [${section}]`, wrong, known);
  }
  const entered = command.options.filter((option) => isEntered(command, option.attributeName()));
  for (const [name, value] of Object.entries({ ...config["defaults"], ...config[own] })) {
    const option = command.options.find(({ long }) => long === `--${name}` || long === `--no-${name}`);
    const attribute = option?.attributeName() ?? "";
    const isInEnvironment = name === "node" && Boolean(io.env["VEGA_NODE"]);
    const isInOutput = name === "format" && extensionsOf(command.getOptionValue("output") ?? "").named !== undefined;
    const isGiven = isInEnvironment || isInOutput || isEntered(command, attribute);
    if (option === undefined || isGiven || entered.some((other) => areInConflict(option, other))) continue;
    if (isUntrusted(name, value) && !io.env["VEGA_CONFIG"]) {
      throw new UsageError(
        `Pass --${name}, or name the file in VEGA_CONFIG: ${fileOf(io)} in the working folder cannot set it.`,
      );
    }
    if (!option.parseArg && typeof value !== "boolean") {
      throw new UsageError(`Expected "${name}" of ${fileOf(io)} to be true or false, got ${JSON.stringify(value)}.`);
    }
    try {
      command.setOptionValueWithSource(attribute, readValue(option, value), "config");
    } catch (error) {
      const others = all.flatMap(({ options }) => options).filter((each) => each.long === option.long && each.parseArg);
      const isForOthers = config[own]?.[name] === undefined && others.some((each) => takes(each, value));
      if (!isForOthers) throw error instanceof UsageError ? inFile(error, io) : error;
    }
  }
}

/** Commander checks entered flags for conflicts before the defaults are set. */
function areInConflict(option: Option, other: Option): boolean {
  const excludes = (a: Option, b: Option) =>
    (a as Option & { conflictsWith: readonly string[] }).conflictsWith.includes(b.attributeName());
  return excludes(option, other) || excludes(other, option);
}

/** Reads a value as if it had been entered. An array repeats a flag, or joins the values of one flag by commas. */
function readValue(option: Option, value: unknown): unknown {
  const { parseArg } = option;
  if (parseArg === undefined) return value;
  const values = [value].flat();
  if (values.some((each) => typeof each === "object" && !(each instanceof Date))) {
    throw new UsageError(`Expected ${option.long} to be a value, or an array of values, got ${JSON.stringify(value)}.`);
  }
  // `String` would write a date in the words and the time zone of this machine.
  const texts = values.map((each) => (each instanceof Date ? each.toISOString() : String(each)));
  const isRepeatable = option instanceof Flag && option.isRepeatable;
  const entered = isRepeatable || texts.length === 0 ? texts : [texts.join()];
  return entered.reduce<unknown>((previous, text) => parseArg(text, previous), undefined);
}

function takes(option: Option, value: unknown): boolean {
  try {
    readValue(option, value);
    return true;
  } catch {
    return false;
  }
}

const inFile = ({ message }: UsageError, io: Pick<Io, "env">): UsageError =>
  new UsageError(`${message} The flag is set in ${fileOf(io)}.`);

export function withSource(error: unknown, io: Pick<Io, "env">, command: Command | undefined): unknown {
  if (!(error instanceof UsageError)) return error;
  const isNamed = ({ long }: Option) => long && new RegExp(`${long}(?![\\w-])`).test(error.message);
  const isInFile = (option: Option) => command?.getOptionValueSource(option.attributeName()) === "config";
  return command?.options.some((option) => isNamed(option) && isInFile(option)) ? inFile(error, io) : error;
}

const flagsOf = ({ options }: Command) => options.map(({ long }) => (long ?? "").replace(/^--(?:no-)?/, ""));
