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
    ["2024-02-09t16:54:49.5z", 1707497689500000000n],
    ["2024-02-09T17:54:49.1+01:00", 1707497689100000000n],
    ["2024-02-09T12:24:49-04:30", 1707497689000000000n],
    ["1969-12-31T23:59:59.999999999Z", -1n],
    ["0001-01-01T00:00:00Z", -62135596800000000000n],
    [{ epochNanoseconds: 7n }, 7n],
  ])("reads %s", (time, nanoseconds) => {
    expect(toNanoseconds(time)).toBe(nanoseconds);
  });

  test.each([
    "",
    "1.5",
    "2024-02-30T00:00:00Z",
    "2024-02-09T24:00:01Z",
    "2024-02-09T16:54:49",
    "2024-02-09",
    "now",
    " 1",
  ])("rejects the text %j", (text) => {
    expect(() => toNanoseconds(text)).toThrow(ArgumentError);
    expect(() => toNanoseconds(text)).toThrow(JSON.stringify(text));
  });

  test.each([
    [1707497689123456000, "1707497689123456000"],
    [new Date("never"), "an invalid Date"],
    [null, "null"],
    [undefined, "undefined"],
    [{}, "an object"],
    [[], "an empty array"],
    [true, "true"],
  ])("rejects %s with a message that says why", (value, got) => {
    expect(() => toNanoseconds(value as never)).toThrow(
      errorWith(
        "Expected a time as a bigint or digits of Unix nanoseconds (a number cannot hold them exactly), a Date, " +
          `RFC 3339 text or a Temporal.Instant, got ${got}.`,
      ),
    );
  });

  test("reads the ISO text of any Date", () => {
    fc.assert(
      fc.property(
        fc.date({ noInvalidDate: true, min: new Date("0000-01-01"), max: new Date("9999-12-31") }),
        (date) => {
          expect(toNanoseconds(date.toISOString())).toBe(toNanoseconds(date));
        },
      ),
    );
  });
});

describe("toDate", () => {
  test.each([
    ["1707497689123456789", "2024-02-09T16:54:49.123Z"],
    [1707497689123999999n, "2024-02-09T16:54:49.123Z"],
    ["2024-02-09T16:54:49.123456789Z", "2024-02-09T16:54:49.123Z"],
    ["-1", "1969-12-31T23:59:59.999Z"],
    ["0", "1970-01-01T00:00:00.000Z"],
  ])("converts %s", (time, iso) => {
    expect(toDate(time).toISOString()).toBe(iso);
  });

  test("truncates a time to its millisecond", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (nanoseconds) => {
        const from = toNanoseconds(toDate(nanoseconds));
        expect(from <= nanoseconds && nanoseconds < from + 1_000_000n).toBe(true);
      }),
    );
  });

  test("rejects a time that a Date cannot hold and a value that is not a time", () => {
    expect(() => toDate(10n ** 30n)).toThrow(ArgumentError);
    expect(() => toDate(5 as never)).toThrow(ArgumentError);
    expect(() => toDate("soon")).toThrow(ArgumentError);
  });
});

describe("toBytes", () => {
  test("decodes the base64 of Node.js", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(toBytes(Buffer.from(bytes).toString("base64"))).toEqual(bytes);
      }),
    );
  });

  test("returns no bytes for null, which nodes send for empty bytes", () => {
    expect(toBytes(null)).toEqual(new Uint8Array());
  });

  test.each(["a", "ab==c", "-_8=", "+/8", " +/8=", "="])("rejects %j", (text) => {
    expect(() => toBytes(text)).toThrow(
      errorWith(`Expected standard base64 with padding, got ${JSON.stringify(text)}.`),
    );
  });

  test("rejects a value that is not a string", () => {
    expect(() => toBytes(undefined as never)).toThrow("got undefined");
  });
});
