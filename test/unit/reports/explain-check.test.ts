import { describe, expect, test } from "vitest";
import { explainCheck } from "../../../src/reports/index.js";

const result = (code: number, data: string, more: object = {}) =>
  ({ success: code === 0, code, data, log: "", info: "", gasWanted: "0", gasUsed: "0", ...more }) as never;

describe("explainCheck", () => {
  test.each([
    [0, "", "passed", "The transaction passed all checks of the node.", "Submit it to another node"],
    [51, "trading is disabled", "validation", "does not accept this command now: trading is disabled.", "Correct"],
    [60, "tx.pow (is required).", "signature", "or its signature is wrong: tx.pow (is", "Then sign it again."],
    [70, "no market", "internal", "The network does not accept this command: no market.", "or add the missing funds"],
    [80, "", "unknown-command", "The node does not know this command.", "network's version"],
    [90, "new", "internal", "The node rejects the transaction with code 90: new.", "on another node"],
    [89, "banned", "spam", "The spam protection rejects the transaction: banned.", "until the ban ends"],
    [89, "too many", "spam", "too many.", "until the limits of the party"],
    [89, "proof of work tid already seen by the node", "spam", "seen by the node.", "the next block"],
    [89, "nonce already used by party", "spam", "used by party.", "block, sign the command again with a new"],
    [89, "delayed transaction already included in a block", "spam", "in a block.", "Do not sign it again"],
    [89, "transaction too old", "spam", "transaction too old.", "a newer block"],
    [89, "unknown block height for tx:ab", "spam", ":ab.", "a recent block, or use a node that has reached the block"],
    [89, "failed to verify proof of work", "spam", "proof of work.", "difficulty of the block"],
    [89, "party has insufficient associated governance tokens", "spam", "tokens.", "Associate more"],
    [89, "party has already submitted the maximum number of transfer requests per epoch", "spam", "epoch.", "epoch"],
    [89, "party has already voted the maximum number of times per proposal", "spam", "proposal.", "next epoch"],
  ])("explains code %d with the reason %j", (code, data, category, message, advice) => {
    const texts = { message: expect.stringContaining(message), advice: expect.stringContaining(advice) };
    expect(explainCheck(result(code, data))).toEqual({ category, ...texts });
  });

  test("finds the reason of a node that gives it elsewhere, and trusts `success`", () => {
    expect(explainCheck(result(51, "", { info: "a" })).message).toMatch(/: a\.$/);
    expect(explainCheck(result(51, "", { log: "b" })).message).toMatch(/: b\.$/);
    expect(explainCheck(result(60, "c", { success: true })).category).toBe("passed");
    expect(explainCheck(result(60, "the maximum")).advice).toMatch(/^Check the command/);
    expect(explainCheck(result(0, "d", { success: false })).category).toBe("internal");
  });

  const wrong = [undefined, null, {}, { code: 51 }, { success: false }, { code: 51, success: false, data: 5 }];
  test.each(wrong)("refuses %j, which is no result", (value) => {
    const error = { name: "ArgumentError", argument: "result" };
    expect(() => explainCheck(value as never)).toThrow(expect.objectContaining(error));
  });
});
