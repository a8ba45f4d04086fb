import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { Flags } from "../../src/flags.js";
import { cellText, readColumns } from "../../src/output/columns.js";
import { readUnits } from "../../src/output/units.js";
import { createIo, useFolder } from "../support/run-cli.js";

const kinds = { balance: "amount", assetId: "text" } as const;
const [vega, usdt, other] = ["aa".repeat(32), "bb".repeat(32), "cc".repeat(32)] as const;
const tether = { id: usdt, symbol: "USDT", name: "Tether", decimals: 6 };
const assets = [{ id: vega, symbol: "VEGA", name: "Vega", decimals: 18 }, tether];

/** The amount 1,500,000 of assets with its unit, and what is printed to stderr. */
async function printed(flags: Flags, ids: readonly string[], { list = assets, isReport = false } = {}) {
  const { io, stderr } = createIo([]);
  let requests = 0;
  const listAssets = async () => {
    requests++;
    return list;
  };
  const { units, flags: found } = await readUnits(io, flags, kinds, listAssets, isReport);
  const columns = readColumns(kinds, {}, units).filter(({ name }) => name !== "assetId");
  const cells = ids.map((assetId) =>
    columns.map((column) => cellText({ balance: "1500000", assetId }, column)).join(" "),
  );
  return { cells, requests, asset: found.asset, stderr: stderr.text };
}

describe("the decimal places of amounts", () => {
  const path = useFolder();
  const write = async (...nodes: object[]) => {
    await writeFile(path("assets.json"), JSON.stringify({ assets: { edges: nodes.map((node) => ({ node })) } }));
    return path("assets.json");
  };

  test("are not read for lists without a flag, and from the node for reports, once", async () => {
    expect(await printed({}, [vega])).toMatchObject({ cells: ["1500000"], requests: 0 });
    expect(await printed({ raw: true }, [vega], { isReport: true })).toMatchObject({ cells: ["1500000"], requests: 0 });
    const both = ["0.0000000000015 VEGA", "1.5 USDT"];
    expect(await printed({ decimals: ["node"] }, [vega, usdt])).toMatchObject({ cells: both, requests: 1 });
    const report = await printed({ asset: "vega" }, [vega, usdt.toUpperCase()], { isReport: true });
    expect(report).toEqual({ cells: both, requests: 1, asset: vega, stderr: "" });
  });

  test("are those of a flag or a file, by id or symbol", async () => {
    const flags = { decimals: [`${vega.toUpperCase()}=6`, "usdt=3", "node"] };
    expect((await printed(flags, [vega, usdt])).cells).toEqual(["1.5 VEGA", "1500 USDT"]);
    expect(await printed({ decimals: [`${vega}=5`] }, [vega])).toMatchObject({ cells: ["15 units"], requests: 0 });
    expect((await printed({ decimals: ["vega=5"] }, [vega, usdt])).cells).toEqual(["15 VEGA", "1500000 smallest unit"]);
    const ofNode = printed({ decimals: ["node=5"] }, []);
    await expect(ofNode).rejects.toThrow('--decimals to be an id or a symbol, got "node".');
    const [known, unnamed] = [{ symbol: "VEGA", decimals: "18" }, { decimals: "6" }];
    const file = await write({ id: vega, details: known }, { id: usdt, details: unnamed });
    const ofFile = { assets: [file], decimals: [`${other}=2`], asset: "VEGA" };
    const cells = ["0.0000000000015 VEGA", "1.5 units", "15000 units"];
    const expected = { cells, requests: 0, asset: vega };
    expect(await printed(ofFile, [vega, usdt, other], { isReport: true })).toMatchObject(expected);
    // As `vegaprotocol get` writes it.
    const { assets: page } = JSON.parse(await readFile(file, "utf8"));
    await writeFile(file, JSON.stringify(page.edges.map(({ node }: { node: object }) => node)));
    expect(await printed(ofFile, [vega, usdt, other], { isReport: true })).toMatchObject(expected);
  });

  test("that are not known leave amounts in the smallest unit, which is said once for each asset", async () => {
    const stderr =
      `Amounts of asset ${other} are in the smallest unit: its decimal places are not known. ` +
      `Add --decimals ${other}=N, or --assets FILE.\n`;
    const mixed = { cells: ["1500000 smallest unit", "1.5 USDT", "1500000 smallest unit"], stderr };
    expect(await printed({ decimals: ["node"] }, [other, usdt, other])).toMatchObject(mixed);
  });

  test.each(["x", "6", "aa=256", "aa=", "=5", "aa=-1", "aa=x"])("are refused if they are %s", async (text) => {
    await expect(printed({ decimals: [text] }, [])).rejects.toThrow("Expected --decimals to be node, or ASSET=N");
  });

  test("are refused from a file that is not there", async () => {
    const message = "Cannot read none.json: there is no such file. Pass another one, such as --assets assets.json.";
    await expect(printed({ assets: ["none.json"] }, [])).rejects.toThrow(message);
  });

  test("are refused from a file of another form", async () => {
    const file = await write({ id: vega });
    const message = `Expected --assets to be the JSON of a node's /api/v2/assets, got "${file}".`;
    await expect(printed({ assets: [file] }, [])).rejects.toThrow(message);
  });
});

test.each([
  ["VEGA", assets, vega],
  [vega.toUpperCase(), assets, vega.toUpperCase()],
  ["fUSDC", assets, "fUSDC"],
  ["fUSDC", [], "fUSDC"],
])("--asset %s with assets is its id", async (asset, list, id) => {
  expect((await printed({ asset }, [], { list })).asset).toBe(id);
});

test("a symbol of no asset or of several is refused", async () => {
  await expect(printed({ asset: "USDT" }, [], { list: [] })).rejects.toThrow("Pass the id, or --assets FILE.");
  await expect(printed({ asset: "DAI" }, [])).rejects.toThrow('got "DAI". The symbols are VEGA, USDT.');
  const list = [...assets, { ...assets[0], id: other, symbol: "usdt", name: "", decimals: 6 }];
  await expect(printed({ asset: "USDT" }, [], { list })).rejects.toThrow(`use the id, one of ${usdt},${other}.`);
});

test("amounts of votes have decimal places unless assets with the symbol VEGA differ in them", async () => {
  const { io, stderr } = createIo([]);
  const decimals = async (...others: number[]) => {
    const list = [...assets, ...others.map((each) => ({ id: other, symbol: "VEGA", name: "", decimals: each }))];
    const { units } = await readUnits(io, { decimals: ["node"] }, { tokens: "amount" }, async () => list);
    return units?.decimalsOf({});
  };
  expect([await decimals(), await decimals(18), stderr.text]).toEqual([18, 18, ""]);
  expect(await decimals(5)).toBeUndefined();
  expect(stderr.text).toMatch(/^Amounts of asset VEGA are in the smallest unit: its decimal places are not known\./);
});
