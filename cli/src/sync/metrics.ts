/** Metrics of `sync --follow`: how far a local copy is. */
import { createCounter, type KnownNode, metricLines, type Sample, seconds } from "../metrics.js";
import { earliest, latest } from "../times.js";
import { canonicalJson } from "./destination.js";
import type { SyncStep } from "./sync.js";

export function createSyncMetrics() {
  const records = createCounter("sync_records_total", "Records that were stored.");
  const positions = new Map<string, Map<string, bigint>>();
  return {
    stored({ list, query, records: count, checkpoint }: SyncStep): void {
      records.add({ list }, count);
      // Profiles have no time.
      if (checkpoint === undefined) return;
      const ofList = positions.get(list) ?? new Map<string, bigint>();
      positions.set(list, ofList.set(canonicalJson(query), checkpoint.position));
    },
    lines(status: readonly KnownNode[]): string[] {
      const newest = latest(0n, ...status.map(({ timestamp }) => timestamp));
      const ofLists = (name: string, help: string, read: (time: bigint) => bigint) => {
        const samples = [...positions].map(([list, each]): Sample => {
          return [{ list }, seconds(read(earliest(...each.values()) ?? 0n))];
        });
        return metricLines(`sync_${name}`, "gauge", help, samples);
      };
      const lagHelp = "How far a list is behind the newest block of the nodes, in block time.";
      return [
        ...records.lines(),
        ...ofLists("position_timestamp_seconds", "The time up to which a list is stored.", (time) => time),
        ...ofLists("lag_seconds", lagHelp, (time) => latest(newest - time, 0n)),
      ];
    },
  };
}
