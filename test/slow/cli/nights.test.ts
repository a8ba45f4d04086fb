import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { page } from "../../../scripts/docs/command-line.js";
import type { BalanceChange } from "../../../src/index.js";
import { createFakeNode } from "../../../src/testing/index.js";
import { runCli } from "../../support/run-cli.js";
import { runs } from "../../support/runs.js";

const { numRuns: days } = runs(120);
const second = 1_000_000_000n;
const day = 86_400n * second;
const start = BigInt(Date.parse("2024-01-01T00:00:00Z")) * 1_000_000n;

/** Numbers from 0 to 1, the same in each run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

const dateOf = (time: bigint) => new Date(Number(time / 1_000_000n)).toISOString().slice(0, 10);

/** Records of all days, with some at the first and the last moment of each day. */
function recordsOfDays(random: () => number): BalanceChange[] {
  const records: BalanceChange[] = [];
  for (let number = 0; number < days; number++) {
    const midnight = start + BigInt(number) * day;
    const times = [
      0n,
      1000n,
      day - 1000n,
      ...Array.from({ length: 9 }, () => BigInt(Math.floor(random() * 86_399)) * second),
    ];
    for (const [index, time] of [...new Set(times)].entries()) {
      const id = (kind: number) => `${kind}${index}`.padStart(64, "0");
      records.push({
        timestamp: `${midnight + time}`,
        partyId: id(1),
        assetId: id(2),
        marketId: "",
        accountType: "ACCOUNT_TYPE_GENERAL",
        balance: String(records.length),
      });
    }
  }
  return records;
}

test(`the recipe for cron has each record of ${days} days once, on nodes that are behind, fail, and keep eight days`, async () => {
  const source = await readFile(page, "utf8");
  const [, flags = ""] = /vegaprotocol-client balances (--quiet --resume[^|&]*?)(?: \|\||\n\n)/.exec(source) ?? [];
  const [, count = ""] = /for back in ([\d ]+);/.exec(source) ?? [];
  expect(flags).toContain('--from "$day" --to "$next"');
  const folder = await mkdtemp(join(tmpdir(), "nights-"));
  const random = randomNumbers(7);
  const records = recordsOfDays(random);
  const codes = new Map<number, number>();
  for (let number = 1; number <= days + 3; number++) {
    // Some runs in each night. The last nights have a node that is not behind, for the days that are left.
    for (const hours of [0.25, 1.25 + 20 * random()]) {
      const now = start + BigInt(number) * day + BigInt(Math.floor(hours * 3600)) * second;
      const lag = number > days || random() < 0.4 ? 0n : BigInt(Math.floor(random() * 30 * 3600)) * second;
      const block = { height: (now - lag - start) / second, timestamp: now - lag };
      const kept = records.filter(({ timestamp }) => BigInt(timestamp) < block.timestamp);
      const node = createFakeNode({ balances: kept, block, history: now - 8n * day }, { rateLimit: false });
      const failing = number <= days && random() < 0.3 ? 0.4 : 0;
      for (const back of count.trim().split(" ")) {
        const from = dateOf(now - BigInt(back) * day);
        const to = dateOf(now - BigInt(back) * day + day);
        if (from < dateOf(start)) continue;
        const argv = flags
          .replaceAll(/\\\n/g, " ")
          .replaceAll("$day", from)
          .replaceAll("$next", to)
          .replaceAll('"', "")
          .replaceAll("/data/", `${folder}/`)
          .trim()
          .split(/\s+/);
        const { code, stderr } = await runCli(["balances", ...argv, "--retries", "0", "--catch-up", "0"], {
          fetch: async (request) => {
            if (random() < failing) throw new TypeError("reset");
            return node.fetch(request);
          },
        });
        expect([0, 1, 3], stderr).toContain(code);
        codes.set(code, (codes.get(code) ?? 0) + 1);
      }
    }
  }
  // Each kind of end has happened.
  for (const code of [0, 1, 3]) expect(codes.get(code)).toBeGreaterThan(20);
  const names = (await readdir(folder)).filter((name) => name.endsWith(".csv.gz")).sort();
  const rows = await Promise.all(
    names
      .filter((name) => name < `balances-${dateOf(start + BigInt(days) * day)}`)
      .map(async (name) =>
        gunzipSync(await readFile(join(folder, name)))
          .toString()
          .trimEnd()
          .split("\r\n")
          .slice(1),
      ),
  );
  const times = rows.flat().map((row) => row.split(",")[1]);
  const expected = [...records].sort((a, b) => Number(BigInt(a.timestamp) - BigInt(b.timestamp)));
  expect(rows).toHaveLength(days);
  expect(times).toEqual(expected.map(({ balance }) => balance));
  await rm(folder, { recursive: true });
}, 600_000);
