import { isDigits } from "./integers.js";
import { refuseValue } from "./show.js";

const decimalNumber = /^(-?)(\d*)(?:\.(\d*))?$/;

/**
 * Formats an amount in the smallest unit as a decimal number. All digits are kept; zeros at the end of the fraction are
 * not written.
 *
 * @param amount - An integer as a `bigint` or a string of digits, such as `balance`.
 * @param decimals - How many decimal places the asset has, from 0 to 255.
 * @throws {@link ArgumentError} if the amount is not an integer, or the number of decimals is not one from 0 to 255.
 * @example
 * ```ts
 * formatUnits("372440666425000000", 18); // "0.372440666425"
 * formatUnits(-1500n, 3); // "-1.5"
 * ```
 */
export function formatUnits(amount: bigint | `${bigint}` | (string & {}), decimals: number): string {
  checkDecimals(decimals);
  if (typeof amount !== "bigint" && !isDigits(amount)) {
    refuseValue("amount", "an amount as a bigint or a string of digits", amount);
  }
  const integer = BigInt(amount);
  const digits = String(integer < 0n ? -integer : integer).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return `${integer < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

/**
 * Parses a decimal number as an amount in the smallest unit: the inverse of {@link formatUnits}. Nothing is rounded.
 *
 * @param text - A decimal number without exponent, such as `"-1.5"`.
 * @param decimals - How many decimal places the asset has, from 0 to 255.
 * @throws {@link ArgumentError} if the text is not a decimal number or has more decimal places than the asset.
 * @example
 * ```ts
 * parseUnits("0.372440666425", 18); // 372440666425000000n
 * parseUnits("-1.5", 3); // -1500n
 * ```
 */
export function parseUnits(text: string, decimals: number): bigint {
  checkDecimals(decimals);
  const [, sign, whole = "", fraction = ""] = (typeof text === "string" && decimalNumber.exec(text)) || [];
  if (sign === undefined || whole + fraction === "") {
    refuseValue("text", 'a decimal number such as "1.5"', text);
  }
  if (/[1-9]/.test(fraction.slice(decimals))) {
    refuseValue("text", `at most ${decimals} decimal places`, text);
  }
  const amount = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, "0"));
  return sign === "-" ? -amount : amount;
}

function checkDecimals(decimals: number): void {
  if (Number.isInteger(decimals) && decimals >= 0 && decimals <= 255) return;
  refuseValue("decimals", "the number of decimals to be an integer from 0 to 255", decimals);
}
