import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ArgumentError, toBytes, toDate, toNanoseconds } from "../../../src/index.js";

/** An {@link ArgumentError} with a message. */
const errorWith = (message: string) => expect.objectContaining({ name: "ArgumentError", message });

describe("toNanoseconds", () => {
  test.each([
    ["1707497689123456789", 1707497689123456789n],
    ["-1", -1n],
    [5n, 5n],
    [new Date("2024-02-09T16:54:49.123Z"), 1707497689123000000n],
    ["2024-02-09T16:54:49.123456789Z", 1707497689123456789n],
    ["2024-02-09T16:54:49Z", 1707497689000000000n],
    ["2024-02-29", 1709164800000000000n],
    ["2024-02-09t16:54:49.5z", 1707497689500000000n],
    ["2024-02-09T17:54:49.1+01:00", 1707497689100000000n],
    ["2024-02-09T12:24:49-04:30", 1707497689000000000n],
    ["1969-12-31T23:59:59.999999999Z", -1n],
    ["0001-01-01T00:00:00Z", -62135596800000000000n],
    [{ epochNanoseconds: 7n }, 7n],
  ])("reads %s", (time, nanoseconds) => {
    expect(toNanoseconds(time)).toBe(nanoseconds);
  });

  const anyTime =
    "a time as a bigint or digits of Unix nanoseconds (a number cannot hold them exactly), a Date, " +
    "RFC 3339 text or a Temporal.Instant";
  const textOfTime = 'a time such as "2024-02-09" or "2024-02-09T16:54:49.123Z", or digits of Unix nanoseconds';
  const texts = ["", "1.5", "2024-02-30T00:00:00Z", "2024-02-09T24:00:01Z", "2024-02-09T16:54:49", "2023-02-29", " 1"];
  test.each<[value: unknown, expected: string, got: string]>([
    ...texts.map((text): [string, string, string] => [text, textOfTime, JSON.stringify(text)]),
    [1707497689123456000, anyTime, "1707497689123456000"],
    [new Date("never"), anyTime, "an invalid Date"],
    [null, anyTime, "null"],
    [undefined, anyTime, "undefined"],
    [{}, anyTime, "an object"],
  ])("rejects %j, expecting %s", (value, expected, got) => {
    expect(() => toNanoseconds(value as never)).toThrow(errorWith(`Expected ${expected}, got ${got}.`));
  });

  test("reads the ISO text of any Date", () => {
    const dates = fc.date({ noInvalidDate: true, min: new Date("0000-01-01"), max: new Date("9999-12-31") });
    fc.assert(fc.property(dates, (date) => toNanoseconds(date.toISOString()) === toNanoseconds(date)));
  });
});

describe("toDate", () => {
  test("converts a time, and truncates it to its millisecond", () => {
    expect(toDate("2024-02-09T16:54:49.123999999Z").toISOString()).toBe("2024-02-09T16:54:49.123Z");
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (nanoseconds) => {
        const from = toNanoseconds(toDate(nanoseconds));
        expect(from <= nanoseconds && nanoseconds < from + 1_000_000n).toBe(true);
      }),
    );
  });

  test.each([10n ** 30n, 5, "soon"])("rejects %s, which a Date cannot hold or is no time", (time) => {
    expect(() => toDate(time as never)).toThrow(ArgumentError);
  });
});

describe("toBytes", () => {
  test("decodes the base64 of Node.js", () => {
    const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
    fc.assert(fc.property(fc.uint8Array(), (bytes) => encode(toBytes(encode(bytes))) === encode(bytes)));
  });

  test("decodes a text of ten million characters", () => {
    expect(toBytes("A".repeat(10_000_000))).toHaveLength(7_500_000);
  });

  test("returns no bytes for null, which nodes send for empty bytes", () => {
    expect(toBytes(null)).toEqual(new Uint8Array());
  });

  test.each(["a", "ab==c", "-_8=", "+/8", " +/8=", "=", "a===", undefined])("rejects %j", (text) => {
    const message = `Expected standard base64 with padding, got ${JSON.stringify(text)}.`;
    expect(() => toBytes(text as never)).toThrow(errorWith(message));
  });
});
