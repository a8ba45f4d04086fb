import { describeRun, simplest } from "./describe.js";
import { explore, type Run, runOnce } from "./explore.js";
import type { Case } from "./families.js";

/** What came of cases. */
export interface Report {
  name: string;
  cases: number;
  runs: number;
  requests: number;
  /** The number of runs that fail, and the first one, by the reader and the kind of what is wrong. */
  failures: ReadonlyMap<string, { count: number; first: Run }>;
}

/**
 * Reads cases along every branch of choices.
 *
 * @param most - Reads scattered cases until so many requests were sent, a quarter of them at most for each. Default: all of all.
 */
export async function checkCases(name: string, cases: Iterable<Case>, most?: number): Promise<Report> {
  const failures = new Map<string, { count: number; first: Run }>();
  const chosen = most === undefined ? cases : scattered([...cases]);
  const report = { name, cases: 0, runs: 0, requests: 0, failures };
  for (const { world, reader, budget } of chosen) {
    if (report.requests >= (most ?? Number.POSITIVE_INFINITY)) break;
    report.cases++;
    const enough = most === undefined ? Number.POSITIVE_INFINITY : report.requests + most / 4;
    report.runs += await explore(world, reader, budget, (run) => {
      report.requests += run.running.steps.length;
      const [violation] = run.violations;
      if (violation === undefined) return report.requests >= enough;
      const kind = `${reader.kind} ${reader.newestFirst ? "newest first" : "oldest first"}: ${violation.kind}`;
      const known = failures.get(kind);
      failures.set(kind, { count: (known?.count ?? 0) + 1, first: known?.first ?? run });
      return report.requests >= enough;
    });
  }
  return report;
}

/** In an order that has little to do with that of the members. */
function scattered<T>(items: readonly T[]): T[] {
  const placed = items.map((item, index) => ({ item, place: Math.imul(index + 1, 0x9e3779b1) >>> 0 }));
  return placed.sort((a, b) => a.place - b.place).map(({ item }) => item);
}

/** One line: how much was read, and how often each reader failed. */
export function summaryOf({ name, cases, runs, requests, failures }: Report): string {
  const failed = [...failures].map(([kind, { count }]) => `${kind} ${count}`).join(", ");
  return `${name}: ${cases} cases, ${runs} runs, ${requests} requests; ${failed || "nothing fails"}`;
}

/** @throws An error that describes the first failure of each kind, with as few unusual things as possible. */
export async function expectNoFailure(report: Report): Promise<void> {
  const texts: string[] = [];
  for (const [kind, { count, first }] of report.failures)
    texts.push(`# ${kind}, ${count} runs\n${describeRun(await simplest(first))}`);
  if (texts.length > 0) throw new Error([summaryOf(report), ...texts].join("\n\n"));
}

/** Reads one case again: what `again` says in a report. */
export async function readAgain(text: string): Promise<string> {
  const { world, reader, taken, budget } = JSON.parse(text) as Pick<Run, "world" | "reader" | "taken" | "budget">;
  return describeRun(await runOnce(world, reader, taken, budget));
}
