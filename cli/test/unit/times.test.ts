import { expect, test } from "vitest";
import { describeDuration, formatTime, readTime } from "../../src/times.js";

test.each<[value: string, date: string, timeZone?: string]>([
  ["2024", "2024-01-01T00:00:00Z"],
  ["2024-02", "2024-02-01T00:00:00Z"],
  ["2024-02-29", "2024-02-29T00:00:00Z"],
  ["2024-02-01T12:00:00+02:00", "2024-02-01T10:00:00Z"],
  ["2024-02-09T16:52Z", "2024-02-09T16:52:00Z"],
  ["2024-02-09T16:50", "2024-02-09T16:50:00Z"],
  ["2024-02-09 16:50:00.123", "2024-02-09T16:50:00.123Z"],
  ["1707495900", "2024-02-09T16:25:00Z"],
  ["1707495900123", "2024-02-09T16:25:00.123Z"],
  ["1707495900123000", "2024-02-09T16:25:00.123Z"],
  ["1707495900123000000", "2024-02-09T16:25:00.123Z"],
  ["0", "1970-01-01T00:00:00Z"],
  ["1970-01-02", "1970-01-01T00:00:00Z"],
  ["1970", "1970-01-01T00:00:00Z", "Europe/Berlin"],
  ["1970", "1970-01-01T00:00:00Z", "America/New_York"],
  ["2024", "2023-12-31T23:00:00Z", "Europe/Berlin"],
  ["2024-07", "2024-06-30T22:00:00Z", "Europe/Berlin"],
  ["2024-03-31", "2024-03-30T23:00:00Z", "Europe/Berlin"],
  ["2024-04-01", "2024-03-31T22:00:00Z", "Europe/Berlin"],
  ["2024-02-09 16:50", "2024-02-09T15:50:00Z", "Europe/Berlin"],
  ["2024-03-31T12:00:00", "2024-03-31T10:00:00Z", "Europe/Berlin"],
  // Clocks skipped it, or it came twice.
  ["2024-03-31T02:30", "2024-03-31T01:30:00Z", "Europe/Berlin"],
  ["2024-10-27T02:30", "2024-10-27T00:30:00Z", "Europe/Berlin"],
  // Clocks skipped midnight.
  ["2018-11-04", "2018-11-04T03:00:00Z", "America/Sao_Paulo"],
  // Midnight came twice.
  ["2021-10-29", "2021-10-28T21:00:00Z", "Asia/Amman"],
  ["2020-10-24", "2020-10-23T21:00:00Z", "Asia/Gaza"],
  ["2024-02-09T16:54:00Z", "2024-02-09T16:54:00Z", "Europe/Berlin"],
  ["1707495900", "2024-02-09T16:25:00Z", "Europe/Berlin"],
])("the time %s is %s, in the zone %s", (value, date, timeZone) => {
  expect(readTime(value, timeZone)).toBe(BigInt(Date.parse(date)) * 1_000_000n);
});

test.each([
  "20240201",
  "2024-02-01 12",
  "2024-02-01T25:00",
  "2024-02-30",
  "1",
  "9999",
  "17074959001",
  "-5",
  "24",
  "1.5h",
  "-24h",
  "99999w",
  "h",
])("%s is no time", (value) => {
  expect(() => readTime(value)).toThrow("Expected a time such as 2024,");
});

test.each([
  ["30m", 1_800_000],
  ["24h", 86_400_000],
  ["7d", 604_800_000],
  ["2w", 1_209_600_000],
  ["now", 0],
])("the time %s is as long ago", (value, milliseconds) => {
  const before = Date.now();
  const time = Number(readTime(value) / 1_000_000n) + milliseconds;
  expect(time).toBeGreaterThanOrEqual(before);
  expect(time).toBeLessThanOrEqual(Date.now());
});

test.each([
  [0n, "1970-01-01T00:00:00.000000000Z"],
  ["999999999", "1970-01-01T00:00:00.999999999Z"],
  ["1000000000", "1970-01-01T00:00:01.000000000Z"],
  ["253402300799999999999", "9999-12-31T23:59:59.999999999Z"],
  ["253402300800000000000", "253402300800000000000"],
  ["soon", "soon"],
])("the time %s is printed as %s", (time, text) => {
  expect(formatTime(time)).toBe(text);
});

test.each([
  [1, "1s"],
  [90_000, "90s"],
  [3_600_000, "60m"],
  [600_001, "10m"],
  [100 * 3_600_000, "4d"],
  [Number.POSITIVE_INFINITY, "ever"],
])("%d milliseconds are %s", (milliseconds, text) => {
  expect(describeDuration(milliseconds)).toBe(text);
});
