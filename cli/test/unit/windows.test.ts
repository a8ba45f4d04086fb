import { describe, expect, test } from "vitest";
import { Interruption, interruptSignals } from "../../src/io.js";
import { readTarget } from "../../src/output/target.js";
import { continueCommand } from "../../src/shell.js";

describe("paths of Windows", () => {
  test.each([
    ["C:\\data\\changes.csv", "csv", false],
    ["..\\changes.v2\\votes.ndjson.gz", "ndjson", true],
    ["C:\\data.d\\changes", "ndjson", false],
  ])("have the extension of their last name: %s", (path, format, isCompressed) => {
    expect(readTarget(path, undefined)).toMatchObject({ format, isCompressed, name: path });
  });

  test.each([
    ["C:\\my data\\", '"C:\\my data\\\\"'],
    ["C:\\data\\a.csv", '"C:\\data\\a.csv"'],
    ['a "b"', '"a \\"b\\""'],
    ["a.csv", "a.csv"],
  ])("are quoted in the command that continues: %s", (path, quoted) => {
    const command = continueCommand(["balances", "--output", path], ["--from", "5"], "win32");
    expect(command).toBe(`vegaprotocol balances --output ${quoted} --from 5`);
  });
});

test("the command that continues has no values of headers, which may be secrets", () => {
  const argv = ["balances", "--header", "X-Key: secret", "--header=X-Key: secret", "--header", "@file", "it's"];
  expect(continueCommand(argv, [], "linux")).toBe(
    "vegaprotocol balances --header … --header=… --header @file 'it'\\''s'",
  );
});

test("the command that continues has each flag once", () => {
  const argv = [
    "balances",
    "-o",
    "a.csv",
    "--from=2024",
    "-n5",
    "--node",
    "a.example",
    "--from",
    "2023",
    "--limit",
    "7",
  ];
  expect(continueCommand(argv, ["--from", "2025", "--limit", "3", "--output", "a-rest.csv"])).toBe(
    "vegaprotocol balances --node a.example --from 2025 --limit 3 --output a-rest.csv",
  );
});

test("each signal that interrupts the program has its exit code, also that of Ctrl-Break", () => {
  const codes = interruptSignals.map((name) => [name, new Interruption(name).exitCode]);
  expect(codes).toEqual([
    ["SIGHUP", 129],
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGBREAK", 149],
  ]);
});
