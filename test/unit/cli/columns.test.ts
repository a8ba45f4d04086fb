import { describe, expect, test } from "vitest";
import { cellText, formatTime, readColumns } from "../../../src/cli/output/columns.js";

const kinds = { timestamp: "time", balance: "amount", alias: "text" } as const;

describe("columns", () => {
  test("print times as RFC 3339 with nanoseconds, and amounts with their decimal places", () => {
    const [time, amount] = readColumns(kinds, undefined, { decimals: 5, raw: false });
    const record = { timestamp: "1707497689000000001", balance: "-1234500" };
    expect(time && cellText(record, time)).toBe("2024-02-09T16:54:49.000000001Z");
    expect(amount && cellText(record, amount)).toBe("-12.345");
  });

  test("print times as digits with --raw, and amounts with all digits without --decimals", () => {
    const [time, amount] = readColumns(kinds, undefined, { raw: true });
    const record = { timestamp: "1707497689000000001", balance: "372440666425000000000000" };
    expect(time && cellText(record, time)).toBe("1707497689000000001");
    expect(amount && cellText(record, amount)).toBe("372440666425000000000000");
  });

  test("print what is not a time or an amount as it is", () => {
    const [time, amount] = readColumns(kinds, undefined, { decimals: 5, raw: false });
    for (const text of ["", "soon", "-5", "99999999999999999999999"]) {
      expect(time && cellText({ timestamp: text }, time)).toBe(text);
    }
    expect(amount && cellText({ balance: "" }, amount)).toBe("");
    expect(amount && cellText({ balance: "many" }, amount)).toBe("many");
  });

  test("are those that were named, in that order, each once", () => {
    const names = (text: string) => readColumns(kinds, text, { raw: false }).map(({ name }) => name);
    expect(names("balance, timestamp")).toEqual(["balance", "timestamp"]);
    expect(() => names("ballance")).toThrow("There is no column ballance. Did you mean balance?");
    expect(() => names("x")).toThrow("There is no column x. There are timestamp, balance, alias.");
    expect(() => names("")).toThrow('There is no column "".');
    expect(() => names("balance,balance")).toThrow("Expected each column once, got balance twice.");
  });
});

test("a time is printed with the second of its own, also after a time of another second", () => {
  expect(formatTime(0n)).toBe("1970-01-01T00:00:00.000000000Z");
  expect(formatTime("999999999")).toBe("1970-01-01T00:00:00.999999999Z");
  const [time] = readColumns(kinds, undefined, { raw: false });
  const print = (timestamp: string) => time && cellText({ timestamp }, time);
  expect([print("1000000000"), print("1999999999"), print("2000000000"), print("1000000000")]).toEqual([
    "1970-01-01T00:00:01.000000000Z",
    "1970-01-01T00:00:01.999999999Z",
    "1970-01-01T00:00:02.000000000Z",
    "1970-01-01T00:00:01.000000000Z",
  ]);
});
