import { writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { cellText, readColumns } from "../../src/output/columns.js";
import { useFolder } from "../support/folder.js";

const kinds = { timestamp: "time", balance: "amount", alias: "text" } as const;
const ofAssets = { ...kinds, assetId: "text" } as const;

const record = { timestamp: "1707497689000000001", balance: "-1234500" };

test.each([
  [{ decimals: ["5"] }, record, ["2024-02-09T16:54:49.000000001Z", "-12.345"]],
  [{ raw: true }, record, ["1707497689000000001", "-1234500"]],
  [{ decimals: ["5"] }, { timestamp: "soon", balance: "many" }, ["soon", "many"]],
  [{ decimals: ["5"] }, { timestamp: "99999999999999999999999", balance: "" }, ["99999999999999999999999", ""]],
] as const)("with %j, times and amounts are printed, and other text as it is", async (flags, sent, printed) => {
  const columns = await readColumns(kinds, flags);
  expect(columns.slice(0, 2).map((column) => cellText(sent, column))).toEqual(printed);
});

test("columns are those that were named, in that order, each once", async () => {
  const names = async (columns: string) => (await readColumns(kinds, { columns })).map(({ name }) => name);
  expect(await names("balance, timestamp")).toEqual(["balance", "timestamp"]);
  await expect(names("toString")).rejects.toThrow(
    "There is no column toString. The columns are timestamp, balance, alias.",
  );
  await expect(names("balance,balance")).rejects.toThrow("Expected each column once, got balance twice.");
});

describe("the decimal places of amounts", () => {
  const path = useFolder();
  const writeAssets = async (...nodes: object[]) => {
    await writeFile(path("assets.json"), JSON.stringify({ assets: { edges: nodes.map((node) => ({ node })) } }));
    return path("assets.json");
  };

  const printed = async (flags: object, assets: readonly string[]) => {
    const columns = await readColumns(ofAssets, { ...flags, columns: "balance" });
    return assets.map((assetId) => columns.map((column) => cellText({ balance: "1500000", assetId }, column)).join());
  };

  test("are those of the record's asset", async () => {
    expect(await printed({ decimals: ["AA=6", "bb=3"] }, ["aa", "bb", "AA"])).toEqual(["1.5", "1500", "1.5"]);
    const file = await writeAssets(
      { id: "aa", details: { symbol: "VEGA", decimals: "18" } },
      { id: "bb", details: { symbol: "USDT", decimals: "6" } },
    );
    expect(await printed({ assets: [file] }, ["aa", "bb"])).toEqual(["0.0000000000015", "1.5"]);
    expect(await printed({ assets: [file], decimals: ["bb=0", "2"] }, ["bb", "cc"])).toEqual(["1500000", "15000"]);
  });

  test("without an asset are an error as soon as a second asset comes, because its amounts could be wrong", async () => {
    expect(await printed({ decimals: ["6"] }, ["aa", "aa"])).toEqual(["1.5", "1.5"]);
    await expect(printed({ decimals: ["6"] }, ["aa", "bb"])).rejects.toThrow(
      "--decimals 6 is for records of one asset, and bb comes after aa. Use --decimals ASSET=N for each of them",
    );
  });

  test("that are not known are an error", async () => {
    await expect(printed({ decimals: ["aa=6"] }, ["cc"])).rejects.toThrow(
      "The decimal places of asset cc are not known: add --decimals cc=N, or --assets FILE.",
    );
  });

  test.each(["x", "1.5", "256", "aa=", "=5", "aa=-1", "aa=x"])("are refused if they are %s", async (text) => {
    await expect(printed({ decimals: [text] }, [])).rejects.toThrow("Expected --decimals to be ASSET=N or N");
  });

  test("are refused with an asset where records name none, and from a file of another form", async () => {
    await expect(readColumns(kinds, { decimals: ["aa=5"] })).rejects.toThrow("Expected --decimals to be an integer");
    const other = await writeAssets({ id: "aa" });
    await expect(printed({ assets: [other] }, [])).rejects.toThrow(
      `Expected --assets to be the JSON of a node's /api/v2/assets, got ${other}.`,
    );
  });
});
