import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { paginate } from "../dist/src/index.js";
import { count, measure, median, type Report, round, spread, times } from "./measure.js";

const records = 3_000_000;
const pageSize = 1000;
const rounds = 7;

/** Yielding records that are already in memory, so that only the walk is measured. */
export async function handingOut(): Promise<Report[]> {
  const fetchPage = memorySource(records);
  const listing = () => paginate(fetchPage, { first: pageSize });
  let sum = 0;
  const samples = await measure(
    {
      "hand-written loop": async () => {
        let after: string | undefined;
        for (;;) {
          const { edges, pageInfo } = await fetchPage({ after });
          for (const { node } of edges) sum += node.id;
          if (!pageInfo.hasNextPage) return;
          after = pageInfo.endCursor;
        }
      },
      "async generator": async () => {
        async function* generate() {
          let after: string | undefined;
          for (;;) {
            const { edges, pageInfo } = await fetchPage({ after });
            for (const { node } of edges) yield node;
            if (!pageInfo.hasNextPage) return;
            after = pageInfo.endCursor;
          }
        }
        for await (const { id } of generate()) sum += id;
      },
      "for await of listing": async () => {
        for await (const { id } of listing()) sum += id;
      },
      "for await of listing.edges()": async () => {
        for await (const { node } of listing().edges()) sum += node.id;
      },
      "for await of listing.pages()": async () => {
        for await (const { nodes } of listing().pages()) for (const { id } of nodes) sum += id;
      },
      "listing.toArray()": async () => {
        sum += (await listing().toArray()).length;
      },
    },
    rounds,
  );
  if (sum === 0) throw new Error("Nothing was walked over.");
  const base = samples["hand-written loop"]?.cpu ?? [];
  const rows = Object.entries(samples).map(([name, { cpu }]) => {
    const nanoseconds = median(cpu) / records;
    const figures = {
      "ns per record": round(nanoseconds),
      "records per second": Math.round(1e9 / nanoseconds),
      "times the loop": times(cpu, base),
      "spread in %": spread(cpu),
    };
    return [name, figures] as const;
  });
  const title = `CPU of a walk over ${count(records)} records in memory, pages of ${count(pageSize)}, ${rounds} rounds`;
  return [
    { title, rows: Object.fromEntries(rows) },
    { title: "Heap in use at the end of a walk, after a forced collection", rows: await heapOfWalks() },
  ];
}

/** Pages of ready-made records. */
function memorySource(length: number) {
  const edges = Array.from({ length: pageSize }, (_, index) => ({ cursor: `c${index}`, node: { id: index } }));
  return async ({ after }: { after?: string | undefined }) => {
    const page = after === undefined ? 0 : Number(after) + 1;
    const hasNextPage = (page + 1) * pageSize < length;
    return { edges, pageInfo: { startCursor: "", endCursor: String(page), hasNextPage, hasPreviousPage: page > 0 } };
  };
}

async function heapOfWalks(): Promise<Report["rows"]> {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const rows: Report["rows"] = {};
  let least = 0;
  for (const length of [100_000, 1_000_000, 3_000_000]) {
    let seen = 0;
    for await (const _ of paginate(memorySource(length), { first: pageSize })) {
      if (++seen !== length) continue;
      collectGarbage();
      const heap = process.memoryUsage().heapUsed;
      least ||= heap;
      rows[`${count(length)} records`] = { MiB: round(heap / 2 ** 20), "times the first": round(heap / least) };
    }
  }
  return rows;
}
