import { expect, test } from "vitest";
import { Interruption, interruptSignals } from "../../src/io.js";
import { readTarget } from "../../src/output/file.js";

test.each([
  ["C:\\data\\changes.csv", "csv", false],
  ["..\\changes.v2\\votes.ndjson.gz", "ndjson", true],
  ["C:\\data.d\\changes", "ndjson", false],
  ["x.jsonl", "ndjson", false],
  ["x.json.gz", "json", true],
  ["X.CSV.GZ", "csv", true],
])("paths, also of Windows, have the format of the extension of their last name: %s", (path, format, isCompressed) => {
  expect(readTarget(path, undefined)).toMatchObject({ format, isCompressed, name: path });
});

test("each signal that interrupts the program has its exit code, also that of Ctrl-Break", () => {
  expect(interruptSignals.map((name) => [name, new Interruption(name).exitCode])).toEqual([
    ["SIGHUP", 129],
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGBREAK", 149],
  ]);
});
