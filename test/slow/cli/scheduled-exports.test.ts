import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFakeNode } from "../../../src/testing/index.js";
import { runCli } from "../../support/run-cli.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "scheduled-"));
});
afterAll(() => rm(folder, { recursive: true }));

test("a scheduled export has each record of a year once, on nodes that lag and fail", async () => {
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const day = 86_400_000;
  const first = Date.UTC(2024, 0, 1);
  const nights = 366;
  const [change] = createFakeNode({ balances: 1 }).records.balances;
  if (change === undefined) throw new Error("Expected a record.");
  // Some of them at midnight, and in the last microsecond before it.
  const offsets = [0n, 1000n, 3_600_000_000_000n, 43_200_000_001_000n, 86_399_999_999_000n];
  const balances = Array.from({ length: nights }, (_, index) => BigInt(first + index * day) * 1_000_000n).flatMap(
    (midnight) =>
      offsets.map((offset, index) => ({
        ...change,
        balance: String(index) as `${bigint}`,
        timestamp: `${midnight + offset}` as `${bigint}`,
      })),
  );
  const found: string[] = [];
  const codes = new Set<number>();
  for (let night = 0; night < nights; night++) {
    const [from, to] = [night, night + 1].map((each) => new Date(first + each * day).toISOString().slice(0, 10));
    const name = join(folder, `${from}.csv`);
    const command = ["balances", "--quiet", "--resume", "--raw", "--retries", "0", "--catch-up", "0", "-o", name];
    // The first run is at midnight, when the node can be more than an hour behind.
    let minutes = -Math.floor(random() * 100);
    for (let code = 1; code !== 0; minutes += 60) {
      const timestamp = BigInt(first + (night + 1) * day + minutes * 60_000) * 1_000_000n;
      const node = createFakeNode(
        {
          // Those of the days before and after, as far as it has come: a node with all would take most of the time of this test.
          balances: balances
            .slice(Math.max(0, (night - 2) * offsets.length), (night + 3) * offsets.length)
            .filter((each) => BigInt(each.timestamp) < timestamp),
          block: { height: timestamp / 1_000_000_000n, timestamp },
        },
        { rateLimit: false },
      );
      const isFailing = random() < 0.2;
      ({ code } = await runCli([...command, "--from", from ?? "", "--to", to ?? "", "--page-size", "3"], {
        fetch: async (request) =>
          isFailing && random() < 0.5 ? new Response("", { status: 503 }) : node.fetch(request),
      }));
      codes.add(code);
      expect((await readdir(folder)).includes(`${from}.csv`)).toBe(code === 0);
    }
    found.push(...(await readFile(name, "utf8")).trimEnd().split("\r\n").slice(1));
  }
  expect(found.map((line) => line.split(",")[0])).toEqual(balances.map(({ timestamp }) => timestamp));
  expect([...codes].sort()).toEqual([0, 1, 3]);
}, 300_000);
