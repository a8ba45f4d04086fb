import { expect, test } from "vitest";
import { readTime } from "../../../src/cli/time-values.js";

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
  expect(readTime("from", value)).toBe(nanoseconds(date));
});

test.each([
  ["20240201", "Did you mean 2024-02-01?"],
  ["202402", "Did you mean 2024-02?"],
  ["2024-02-01 12:00", "Did you mean 2024-02-01T12:00:00Z?"],
  ["2024-02-01T12:00:30", "Did you mean 2024-02-01T12:00:30Z?"],
  ["2024-02-30", 'got "2024-02-30".'],
  ["1", 'got "1".'],
  ["1000", 'got "1000".'],
  ["9999", 'got "9999".'],
  ["17074959001", "seconds, milliseconds, microseconds or nanoseconds"],
  ["-5", 'got "-5".'],
  ["noon", 'got "noon".'],
])("the time %s is refused with what may be meant", (value, message) => {
  expect(() => readTime("from", value)).toThrow(message);
});
