import type { BalanceChange, VegaClient } from "vegaprotocol-client";
import { balancesAt } from "vegaprotocol-client/reports";
import { expect, test } from "vitest";
import { reportUpTo } from "../../src/reports.js";
import { change, party } from "../support/changes.js";

/** A client whose scans yield these records from the start of their range on, each with a coverage. */
function clientOf(...scans: { records: readonly BalanceChange[]; start: bigint }[]) {
  const requested: unknown[] = [];
  const scanBalanceChanges = ({ dateRange }: { dateRange: object }, { missingHistory }: { missingHistory: string }) => {
    const { records, start } = scans[requested.length] as (typeof scans)[number];
    requested.push({ ...dateRange, missingHistory });
    async function* read() {
      yield* records;
    }
    return Object.assign(read(), { coverage: Promise.resolve({ start, end: 100n, block: undefined }) });
  };
  return { client: { scanBalanceChanges } as unknown as VegaClient, requested };
}

test("a report has no record before the coverage of its scan: between them, others may be missing", async () => {
  const records = [change(10n, "28", party), change(80n, "5")];
  const late = records.slice(1);
  const { client, requested } = clientOf({ records, start: 50n }, { records: late, start: 50n });
  const compute = (changes: AsyncIterable<BalanceChange>, isComplete: boolean) =>
    balancesAt(changes, 90n, { isComplete });
  const report = await reportUpTo(client, {}, 100n, { isComplete: true }, compute);
  expect(requested).toEqual([
    { startTimestamp: undefined, endTimestamp: 100n, missingHistory: "error" },
    { startTimestamp: 50n, endTimestamp: 100n, missingHistory: "ignore" },
  ]);
  expect(report).toMatchObject({ kept: 50n, coverage: { start: 50n }, rows: [{ balance: "5" }] });
  expect(report.rows).toHaveLength(1);
});
