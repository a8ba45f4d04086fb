import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../../../test/support/run.js";
import { readColumns } from "../../src/output/columns.js";
import { csv } from "../../src/output/csv.js";

const isInstalled = await run("soffice", ["--version"]).then(
  () => true,
  () => false,
);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "spreadsheets-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** The formulas that LibreOffice finds in CSV, if it divides rows at a character. */
async function formulasIn(csv: string, separator: string): Promise<string[]> {
  const file = join(folder, "x.csv");
  await writeFile(file, csv);
  await run("soffice", [
    `-env:UserInstallation=file://${folder}/profile`,
    "--headless",
    "--convert-to",
    "fods:OpenDocument Spreadsheet Flat XML",
    `--infilter=CSV:${separator.charCodeAt(0)},34,76,1`,
    "--outdir",
    folder,
    file,
  ]);
  const sheet = await readFile(join(folder, "x.fods"), "utf8");
  return [...sheet.matchAll(/table:formula="([^"]*)"/g)].map(([, formula = ""]) => formula);
}

describe.runIf(isInstalled)("LibreOffice", () => {
  test.each([",", ";", "|", "\t"])(
    "finds no formula in CSV of any text, if it divides rows at %j",
    async (separator) => {
      expect(await formulasIn(`a${separator}=1+1${separator}b\n`, separator)).toEqual(["of:=1+1"]);
      const encoder = csv(await readColumns({ alias: "text", sig: "exact", metadata: "json" }, { raw: true }));
      const text = fc.array(
        fc.constantFrom("=1+1", "=", "+1", "-1", "@", ";", "|", ",", "\t", "\n", "\r", "'", '"', " ", "a"),
      );
      const texts = fc.sample(text, { numRuns: 500, seed: 7 }).map((all) => all.join(""));
      const lines = texts.map((alias) => encoder.encode([{ alias, sig: alias, metadata: [{ key: alias }] }]));
      expect(await formulasIn(lines.join(""), separator)).toEqual([]);
    },
  );
});
