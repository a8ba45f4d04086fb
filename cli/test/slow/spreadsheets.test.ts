import { readFile, writeFile } from "node:fs/promises";
import fc from "fast-check";
import { parseUnits } from "vegaprotocol-client";
import { statement } from "vegaprotocol-client/reports";
import { createFakeNode } from "vegaprotocol-client/testing";
import { describe, expect, test } from "vitest";
import { folderOfFile } from "../../../test/support/folder.js";
import { run } from "../../../test/support/run.js";
import { withOtherPaths } from "../../src/fake-node.js";
import { readColumns } from "../../src/output/columns.js";
import { csv } from "../../src/output/csv.js";
import { runCli } from "../support/run-cli.js";

const isInstalled = (await run("soffice", ["--version"]).catch(() => undefined)) !== undefined;

const path = await folderOfFile();

/** The sheet that LibreOffice makes of CSV, if it divides rows at a character, with "Detect special numbers". */
async function open(csv: string, separator: string): Promise<string> {
  const file = path("x.csv");
  await writeFile(file, csv);
  await run("soffice", [
    `-env:UserInstallation=file://${path("profile")}`,
    "--headless",
    "--convert-to",
    "fods:OpenDocument Spreadsheet Flat XML",
    `--infilter=CSV:${separator.charCodeAt(0)},34,76,1,,0,false,true`,
    "--outdir",
    path(),
    file,
  ]);
  return readFile(path("x.fods"), "utf8");
}

async function formulasIn(csv: string, separator: string): Promise<string[]> {
  const sheet = await open(csv, separator);
  return [...sheet.matchAll(/table:formula="([^"]*)"/g)].map(([, formula = ""]) => formula);
}

/** The cells of each row: dates and numbers by their values. */
const rowsIn = (sheet: string) =>
  [...sheet.matchAll(/<table:table-row[^>]*>([\s\S]*?)<\/table:table-row>/g)].map(([, row = ""]) =>
    [...row.matchAll(/<table:table-cell([^>]*?)(?:\/>|>([\s\S]*?)<\/table:table-cell>)/g)].flatMap(
      ([, attributes = "", content = ""]) => {
        const [, value = content.replaceAll(/<[^>]*>|\s/g, "")] =
          /office:(?:date-)?value="([^"]*)"/.exec(attributes) ?? [];
        const [, type = ""] = /office:value-type="([^"]*)"/.exec(attributes) ?? [];
        const [, repeated = 1] = /number-columns-repeated="(\d+)"/.exec(attributes) ?? [];
        return Array.from({ length: Number(repeated) }, () => ({ type, value }));
      },
    ),
  );

describe.runIf(isInstalled)("LibreOffice", () => {
  test.each([",", ";", "|", "\t"])("finds no formula in CSV of any text, divided at %j", async (separator) => {
    expect(await formulasIn(`a${separator}=1+1${separator}b\n`, separator)).toEqual(["of:=1+1"]);
    const encoder = csv(readColumns({ alias: "text", sig: "exact", metadata: "json" }, { raw: true }));
    const text = fc.array(
      fc.constantFrom("=1+1", "=", "+1", "-1", "@", ";", "|", ",", "\t", "\n", "\r", "'", '"', " ", "a"),
    );
    const texts = fc.sample(text, { numRuns: 500, seed: 7 }).map((all) => all.join(""));
    const lines = texts.map((alias) => encoder.encode([{ alias, sig: alias, metadata: [{ key: alias }] }]));
    expect(await formulasIn(lines.join(""), separator)).toEqual([]);
  });

  test("has the dates of a statement, and numbers whose sums are those of the library", async () => {
    const node = createFakeNode({ balances: 3000 }, { rateLimit: false });
    const { balances } = node.records;
    const at = (minute: number) => BigInt(Date.UTC(2024, 1, 9, 16, minute)) * 1_000_000n;
    const [from, to] = [at(30), at(50)];
    const range = ["--from", `${from}`, "--to", `${to}`, "--complete-history"];
    const argv = ["statement", ...range, "--monthly", "--format", "csv"];
    const zone = ["--time-zone", "Europe/Berlin", "--times", "spreadsheet"];
    const { stdout } = await runCli([...argv, ...zone], withOtherPaths(node));
    const [head = [], ...rows] = rowsIn(await open(stdout, ","));
    const cells = rows.map((row) => Object.fromEntries(head.map(({ value }, index) => [value, row[index]])));
    expect(new Set(cells.map(({ timestamp }) => timestamp?.type))).toEqual(new Set(["date"]));
    expect(cells[0]?.["timestamp"]?.value).toBe("2024-02-09T17:30:00");
    const statements = await statement(balances, { from, to, isComplete: true });
    let next = 0;
    for (const { opening = "", closing = "", lines, assetId } of statements) {
      const own = cells.slice(next, next + lines.length + 3);
      next += own.length;
      const decimals = own[0]?.["unit"]?.value === "KSM" ? 12 : 18;
      const units = (name: string) => (row: (typeof own)[number] | undefined) =>
        parseUnits(row?.[name]?.value ?? "", decimals);
      expect(own.every((row) => row["assetId"]?.value === assetId)).toBe(true);
      const ofKind = (kind: string) => own.filter(({ entry }) => entry?.value === kind);
      const changes = ofKind("change").map(units("change"));
      const sum = changes.reduce((a, b) => a + b, 0n);
      const [open, month, close] = ["opening", "month", "closing"].map((kind) => ofKind(kind)[0]);
      expect([units("balance")(open), units("balance")(close)]).toEqual([BigInt(opening), BigInt(closing)]);
      expect([sum, units("total")(month)]).toEqual(Array(2).fill(BigInt(closing) - BigInt(opening)));
      // A sum over a column has no total twice.
      expect(own.filter((row) => row["change"]?.value !== "")).toHaveLength(lines.length);
      expect([month?.["month"]?.value, own.filter((row) => row["total"]?.value !== "")]).toEqual(["2024-02", [month]]);
    }
    expect(next).toBe(cells.length);
  });
});
