import { afterAll, expect, test } from "vitest";
import { mulberry32 } from "../../../../src/testing/random.js";
import { run } from "../../../../test/support/run.js";
import { startSetting } from "./gateway-process.js";

/** How long the clients run, in seconds. `SOAK_SECONDS=60` is the whole test. */
const seconds = Number(process.env["SOAK_SECONDS"] ?? 20);
const clients = 200;

type Wire = Record<string, string>;

const setting = await startSetting({ votes: 600, balances: 4000, signatures: 60, profiles: 90 });
afterAll(() => setting.end());

interface Reading {
  /** The block time of the first page: all records before it have to be there. */
  readonly coverage: string;
  readonly records: Wire[];
}

/** Walks a list with the plain loop, and requests a page again that the gateway cannot serve at the moment. */
async function walk(base: string, path: string, envelope: string, isOver: () => boolean): Promise<Reading | undefined> {
  const records: Wire[] = [];
  let [coverage, after] = ["", ""];
  for (;;) {
    if (isOver()) return undefined;
    const response = await fetch(base + path + after);
    const body = await response.json();
    if (response.status === 503) {
      await new Promise((resolve) => setTimeout(resolve, 1000 * Number(response.headers.get("Retry-After"))));
      continue;
    }
    expect([path, response.status, response.status === 200 ? "" : body]).toEqual([path, 200, ""]);
    coverage ||= response.headers.get("X-Block-Timestamp") ?? "";
    const { edges, pageInfo } = body[envelope];
    for (const { node } of edges) records.push(node);
    if (!pageInfo.hasNextPage) return { coverage, records };
    after = `&pagination.after=${pageInfo.endCursor}`;
  }
}

test(`${clients} clients get every record once for ${seconds} s while nodes go down and come up`, {
  timeout: (seconds + 60) * 1000,
}, async () => {
  const { network, gateway } = setting;
  const until = performance.now() + seconds * 1000;
  const isOver = () => performance.now() >= until;
  const random = mulberry32(7);
  const blocks = setInterval(() => network.nextBlock({ balances: 5, votes: 2 }), 1000);
  // One node at least is up.
  const outages = setInterval(() => {
    const down = network.nodes.map(() => random() < 0.4);
    if (down.every(Boolean)) down[Math.floor(random() * down.length)] = false;
    for (const [index, node] of network.nodes.entries()) node.configure({ down: down[index] ?? false });
  }, 700);
  const { votes, signatures } = network.records;
  const [proposalId, id] = [votes[1]?.proposalId ?? "", signatures[0]?.id ?? ""];
  const lists = [
    ["/api/v2/balance/changes?", "balances", () => true],
    [`/api/v2/votes?proposalId=${proposalId}&`, "votes", (vote: Wire) => vote["proposalId"] === proposalId],
    [`/api/v2/node/signatures?id=${id}&`, "signatures", (each: Wire) => each["id"] === id],
    ["/api/v2/parties/profiles?", "profiles", () => true],
  ] as const;
  const memory: number[] = [];
  let loops = 0;

  const client = async () => {
    while (!isOver()) {
      const [path, name, isOf] = lists[Math.floor(random() * lists.length)] ?? lists[0];
      const size = [20, 100, 1000][Math.floor(random() * 3)];
      const pages = `pagination.first=${size}&pagination.newestFirst=${random() < 0.5}`;
      const reading = await walk(gateway.url, path + pages, name, isOver);
      if (reading === undefined) return;
      const found = new Map(reading.records.map((record) => [JSON.stringify(record), record]));
      expect([path + pages, reading.records.length]).toEqual([path + pages, found.size]);
      const chain = (network.records[name] as unknown as Wire[]).filter(isOf);
      const all = new Set(chain.map((record) => JSON.stringify(record)));
      const wrong = [...found.keys()].filter((text) => !all.has(text));
      const isCovered = ({ timestamp }: Wire) => timestamp === undefined || timestamp < reading.coverage;
      const missing = chain.filter((record) => isCovered(record) && !found.has(JSON.stringify(record)));
      expect([path + pages, wrong, missing]).toEqual([path + pages, [], []]);
      loops++;
    }
  };
  const watch = setInterval(async () => {
    const { stdout } = await run("ps", ["-o", "rss=", "-p", String(gateway.child.pid)]);
    memory.push(Number(stdout) / 1024);
  }, 1000);
  try {
    await Promise.all(Array.from({ length: clients }, client));
  } finally {
    clearInterval(blocks);
    clearInterval(outages);
    clearInterval(watch);
  }
  const most = Math.max(...memory);
  console.log(`${loops} loops, ${Math.round(most)} MiB at most`);
  // How many depends on the machine.
  expect(loops).toBeGreaterThan(0);
  expect(most).toBeLessThan(300);
});
