import { expect, test } from "vitest";
import { formatTime, timePrinter } from "../../src/output/columns.js";
import { describeDuration, readTime } from "../../src/times.js";

const nanoseconds = (date: string) => BigInt(Date.parse(date)) * 1_000_000n;

test.each([
  ["2024", "2024-01-01T00:00:00Z"],
  ["2024-02", "2024-02-01T00:00:00Z"],
  ["2024-02-29", "2024-02-29T00:00:00Z"],
  ["2024-02-01T12:00:00+02:00", "2024-02-01T10:00:00Z"],
  ["1707495900", "2024-02-09T16:25:00Z"],
  ["1707495900123", "2024-02-09T16:25:00.123Z"],
  ["1707495900123000", "2024-02-09T16:25:00.123Z"],
  ["1707495900123000000", "2024-02-09T16:25:00.123Z"],
  ["0", "1970-01-01T00:00:00Z"],
])("the time %s is %s", (value, date) => {
  expect(readTime(value)).toBe(nanoseconds(date));
});

test.each([
  "20240201",
  "2024-02-01 12:00",
  "2024-02-01T12:00:30",
  "2024-02-30",
  "1",
  "9999",
  "17074959001",
  "-5",
  "24",
  "1.5h",
  "-24h",
  "h",
])("%s is no time", (value) => {
  expect(() => readTime(value)).toThrow("Expected a time such as 2024,");
});

test.each([
  ["30m", 1_800_000],
  ["24h", 86_400_000],
  ["7d", 604_800_000],
  ["2w", 1_209_600_000],
])("the time %s is as long ago", (value, milliseconds) => {
  const before = Date.now();
  const time = Number(readTime(value) / 1_000_000n) + milliseconds;
  expect(time).toBeGreaterThanOrEqual(before);
  expect(time).toBeLessThanOrEqual(Date.now());
});

test("a time is printed with the second of its own, also after a time of another second", () => {
  expect(formatTime(0n)).toBe("1970-01-01T00:00:00.000000000Z");
  expect(formatTime("999999999")).toBe("1970-01-01T00:00:00.999999999Z");
  expect(["1000000000", "1999999999", "2000000000", "1000000000"].map(timePrinter())).toEqual([
    "1970-01-01T00:00:01.000000000Z",
    "1970-01-01T00:00:01.999999999Z",
    "1970-01-01T00:00:02.000000000Z",
    "1970-01-01T00:00:01.000000000Z",
  ]);
});

test.each([
  [1, "1s"],
  [59_001, "1m"],
  [90_000, "1m 30s"],
  [3_600_000, "1h"],
  [100 * 3_600_000, "4d 4h"],
  [Number.POSITIVE_INFINITY, "ever"],
])("%d milliseconds are %s", (milliseconds, text) => {
  expect(describeDuration(milliseconds)).toBe(text);
});
