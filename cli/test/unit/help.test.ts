import { expect, test } from "vitest";
import { allCommands } from "../../src/command.js";
import { Flag } from "../../src/flags.js";
import { createProgram } from "../../src/program.js";
import { createIo, runCli } from "../support/run-cli.js";

const program = createProgram(createIo([]).io, () => {});
const [, ...commands] = allCommands(program);
/** The words of a command, such as `follow votes`. */
const nameOf = (command: (typeof commands)[number]): string =>
  command.parent === program || command.parent === null ? command.name() : `${command.parent.name()} ${command.name()}`;
const names = commands.map(nameOf);

test("the help of the program lists all commands, exit codes and variables, and is printed without a command, too", async () => {
  const { code, stdout } = await runCli(["--help"]);
  expect(code).toBe(0);
  for (const command of program.commands) expect(stdout).toMatch(new RegExp(`^  ${command.name()} `, "m"));
  for (const name of ["VEGA_NODE", "HTTPS_PROXY", "NO_PROXY", "NODE_EXTRA_CA_CERTS", "NO_COLOR"])
    expect(stdout).toContain(name);
  expect(await runCli(["help"])).toEqual({ code: 0, stdout, stderr: "" });
  expect(await runCli([])).toEqual({ code: 2, stdout, stderr: "" });
});

const order = ["Arguments:", "Filter flags:", "Output flags:", "Node flags:", "Flags:", "Commands:", "Examples:"];

test.each(names)("the help of %s names each flag in groups, and fits a terminal", async (name) => {
  const command = commands.find((each) => nameOf(each) === name);
  const { code, stdout } = await runCli([...name.split(" "), "--help"]);
  expect(code).toBe(0);
  expect((await runCli(["help", ...name.split(" ")])).stdout).toBe(stdout);
  for (const { long } of command?.options ?? []) expect(stdout).toContain(long);
  // It names what is required, and the charts of commands that have them.
  const isMandatory = command?.options.some((option) => option instanceof Flag && option.isMandatory);
  expect(stdout.includes("Required.")).toBe(isMandatory);
  expect(stdout.includes(".svg")).toBe(/^(?:series|tally)$/.test(name));
  expect(stdout).toMatch(/^Usage: vegaprotocol \S.*\n\n[A-Z][^.]*[.,]/);
  const headings: readonly string[] = stdout.match(/^[A-Z][a-z ]+:$/gm) ?? [];
  expect(headings).toEqual(order.filter((heading) => headings.includes(heading)));
  for (const terminal of [60, 80, 100]) {
    const { stdout: shown } = await runCli([...name.split(" "), "--help"], { terminal, env: { NO_COLOR: "1" } });
    const isLong = (line: string) => line.split(" ").every((word) => word.length <= terminal / 3);
    expect(shown.split("\n").filter((line) => line.length > terminal && isLong(line))).toEqual([]);
  }
});

test.each(names)("the text of a flag of %s refers to flags that the command has", (name) => {
  const { options = [] } = commands.find((each) => nameOf(each) === name) ?? {};
  const longs = options.map(({ long }) => long);
  const texts = options.map(({ description }) => description.replaceAll(/vegaprotocol [^.,]*/g, ""));
  expect(texts.flatMap((text) => text.match(/--[a-z-]+/g) ?? []).filter((flag) => !longs.includes(flag))).toEqual([]);
});

test("the headings of the help are bold on a terminal, of 80 columns if it reports 0", async () => {
  const { stdout } = await runCli(["help"], { terminal: 0 });
  expect(stdout).toContain("\x1b[1mCommands:\x1b[22m");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the styles of the terminal.
  const lines = stdout.replaceAll(/\x1b\[\d+m/g, "").split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(Math.max(...lines.map((line) => line.length))).toBeGreaterThan(70);
});

test.each(["balances", "follow balances"])("the help of %s has the column of units", async (name) => {
  const { stdout } = await runCli([...name.split(" "), "--help"]);
  expect(stdout.replaceAll(/\s+/g, " ")).toContain("accountType, and unit if amounts have decimals.");
});
