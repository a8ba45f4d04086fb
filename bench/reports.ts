import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { BalanceChange } from "../dist/src/index.js";
import { balanceSeries, balancesAt, statement } from "../dist/src/reports/index.js";
import { count, limit, median, type Report, round } from "./measure.js";

const records = 1_000_000;
const accounts = 1000;
const pageSize = 1000;
const rounds = 5;

/** A change every ten seconds: about 116 days. */
const step = 10_000_000_000n;
const start = BigInt(Date.parse("2024-01-01")) * 1_000_000n;
const end = start + BigInt(records) * step;

/** Balance changes as a scan yields them: parsed from pages of JSON. */
async function* readChanges(): AsyncGenerator<BalanceChange> {
  const idOf = (number: number) => (number * 2654435761).toString(16).padStart(64, "0");
  for (let from = 0; from < records; from += pageSize) {
    const page = Array.from({ length: pageSize }, (_, index) => {
      const number = ((from + index) * 7919) % accounts;
      return {
        timestamp: String(start + BigInt(from + index) * step),
        balance: `${from + index}000000000000000000`,
        partyId: idOf(number >> 2),
        assetId: idOf(number & 1),
        marketId: number & 2 ? idOf(9) : "",
        accountType: number & 2 ? "ACCOUNT_TYPE_MARGIN" : "ACCOUNT_TYPE_GENERAL",
      };
    });
    yield* JSON.parse(JSON.stringify(page)) as BalanceChange[];
  }
}

const ways: Record<string, () => Promise<unknown>> = {
  "reading alone": async () => {
    for await (const change of readChanges()) if (change.balance === "") return;
  },
  balancesAt: () => balancesAt(readChanges(), end),
  "balanceSeries, by day": () => balanceSeries(readChanges(), { from: start, to: end, every: "day" }),
  "balanceSeries, by week and asset": () =>
    balanceSeries(readChanges(), { from: start, to: end, every: "week", groupBy: ["assetId"] }),
  "statement of the last day": () => statement(readChanges(), { from: end - 86_400_000_000_000n, to: end }),
};

/** What reports take over the reading of the records: each way in processes of its own, which take turns. */
export async function reporting(): Promise<Report[]> {
  const samples = new Map<string, { cpu: number; peak: number }[]>(Object.keys(ways).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, found] of samples) {
      const [sample] = (await once(fork(fileURLToPath(import.meta.url), [name]), "message")) as [
        { cpu: number; peak: number },
      ];
      found.push(sample);
    }
  }
  const of = (name: string, figure: "cpu" | "peak") => median((samples.get(name) ?? []).map((each) => each[figure]));
  const base = "reading alone";
  const rows: Report["rows"] = {};
  for (const name of samples.keys()) {
    const cpu = round(of(name, "cpu") - of(base, "cpu"));
    const peak = round(of(name, "peak") - of(base, "peak"));
    rows[name] = {
      "CPU, µs per record": round(of(name, "cpu")),
      "over reading": cpu,
      "peak, MiB": round(of(name, "peak")),
      "over reading, MiB": peak,
    };
    limit(`${name}, CPU over reading, µs per record`, cpu, 3);
    limit(`${name}, memory over reading, MiB`, peak, 64);
  }
  return [{ title: `Reports of ${count(records)} changes of ${count(accounts)} accounts, ${rounds} rounds`, rows }];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const before = process.cpuUsage();
  await ways[process.argv[2] ?? ""]?.();
  const { user, system } = process.cpuUsage(before);
  process.send?.({ cpu: (user + system) / records, peak: process.resourceUsage().maxRSS / 1024 });
}
