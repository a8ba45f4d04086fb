import { expect, test } from "vitest";
import { ItemIterator } from "../../../src/async/item-iterator.js";
import type { Coverage } from "../../../src/index.js";

test("a loop that is closed while calls wait covers the items that these calls return, whenever that is", async () => {
  for (let turns = 0; turns < 8; turns++) {
    const covered: Coverage[] = [];
    const coverage = (used: number) => ({ start: 0n, end: BigInt(used), block: undefined });
    const batches = { next: async () => ({ items: ["a", "b", "c"], coverage }), end: () => {} };
    const receiver = { resolve: (each: Coverage) => covered.push(each), reject: () => {} };
    const open = async () => batches;
    const items = new ItemIterator(open, () => receiver);
    const calls = [items.next(), items.next(), items.next()];
    await calls[0];
    for (let turn = 0; turn < turns; turn++) await undefined;
    await items.return();
    const returned = (await Promise.all(calls)).filter(({ done }) => !done);
    expect(covered[0]?.end).toBe(BigInt(returned.length));
  }
});
