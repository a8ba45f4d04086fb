import { expect, test } from "vitest";
import { cellText, readColumns } from "../../src/output/columns.js";

const kinds = { timestamp: "time", balance: "amount", alias: "text" } as const;
const units = { decimalsOf: () => 5, unitOf: () => "VEGA" };

const record = { timestamp: "1707497689000000001", balance: "-1234500" };

test.each([
  [{}, record, ["2024-02-09T16:54:49.000000001Z", "-12.345"]],
  [{ raw: true }, record, ["1707497689000000001", "-12.345"]],
  [{ times: "unix" }, record, ["1707497689000000001", "-12.345"]],
  [{ timeZone: "America/St_Johns" }, record, ["2024-02-09T13:24:49.000000001-03:30", "-12.345"]],
  [{ times: "spreadsheet" }, record, ["2024-02-09 16:54:49.000", "-12.345"]],
  [{ times: "spreadsheet", timeZone: "Europe/Berlin" }, record, ["2024-02-09 17:54:49.000", "-12.345"]],
  [{ timeZone: "UTC" }, record, ["2024-02-09T16:54:49.000000001Z", "-12.345"]],
  [{ timeZone: "Europe/London" }, record, ["2024-02-09T16:54:49.000000001+00:00", "-12.345"]],
  [{}, { timestamp: "soon", balance: "many" }, ["soon", "many"]],
  [{}, { timestamp: "99999999999999999999999", balance: "" }, ["99999999999999999999999", ""]],
] as const)("with %j, times and amounts are printed, and other text as it is", (flags, sent, printed) => {
  const columns = readColumns(kinds, flags, units);
  expect(columns.slice(0, 2).map((column) => cellText(sent, column))).toEqual(printed);
});

test("columns are those that were named, in that order, each once", () => {
  const names = (columns?: string, own = {}) =>
    readColumns({ ...kinds, ...own }, columns === undefined ? {} : { columns }, units).map(({ name }) => name);
  expect(names("balance, timestamp")).toEqual(["balance", "timestamp"]);
  expect(names(undefined, { assetId: "text" })).toEqual(["timestamp", "balance", "unit", "alias", "assetId"]);
  expect(names("tokens", { totalGovernanceTokenBalance: "amount" })).toEqual(["totalGovernanceTokenBalance"]);
  expect(() => names("toString")).toThrow("There is no column toString. --columns takes timestamp, balance, alias.");
  expect(() => names("balance,balance")).toThrow('Expected --columns to have each column once, got "balance" twice.');
});
