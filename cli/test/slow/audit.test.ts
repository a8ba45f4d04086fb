import fc from "fast-check";
import { createFakeNode, type FakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { expect, test } from "vitest";
import { hour } from "../support/changes.js";
import { readMetrics } from "../support/metrics.js";
import { ended, readLines, runCli } from "../support/run-cli.js";

const urls = ["https://a.example", "https://b.example", "https://c.example"];
interface Row {
  part: string;
  list: string;
  url: string;
  state: string;
}

type OnRequest = (node: FakeNode, count: number) => void;

/** @param onRequest - Called before a node responds, with the node and how many requests were sent. */
async function audit(nodes: readonly FakeNode[], flags: string[] = [], onRequest: OnRequest = () => {}) {
  let requests = 0;
  const fetch = (request: Request) => {
    const node = nodes[urls.indexOf(new URL(request.url).origin)];
    if (node === undefined) return Promise.reject(new Error("Expected a known node."));
    onRequest(node, requests++);
    return node.fetch(request);
  };
  const { code, stdout, stderr } = await runCli(["audit", ...urls, "--format", "ndjson", ...flags], { fetch });
  const rows: Row[] = flags.includes("prometheus") ? [] : readLines(stdout);
  const different = [...new Set(rows.filter(({ state }) => state === "different").map(({ url }) => url))].sort();
  return { code, stdout, stderr, rows, different };
}

const three = <T>(each: fc.Arbitrary<T>) => fc.array(each, { minLength: 3, maxLength: 3 });
const share = fc.nat(99).map((percent) => percent / 100);
/** Runs to make: `AUDIT_RUNS=1000` is the whole number, of which CI makes a part. */
const numRuns = Number(process.env["AUDIT_RUNS"] ?? 6);

/** Balance changes of four days, of which each node keeps some and has reached some. One node may be wrong. */
const network = fc.record({
  seed: fc.nat(),
  count: fc.integer({ min: 40, max: 120 }),
  history: three(fc.option(share)),
  /** In blocks of a second. */
  lag: three(fc.constantFrom(0, 0, 0, 0, 5, 45, 4000, 50_000, 10 ** 10)),
  version: three(fc.constantFrom("v0.74" as const, "v0.79" as const)),
  /** When a node drops its records before a time. */
  drops: fc.array(fc.record({ node: fc.nat(2), request: fc.nat(60), to: share }), { maxLength: 3 }),
  isToEnd: fc.boolean(),
  pageSize: fc.constantFrom(3, 7, 1000),
  at: share,
  wrong: fc.nat(2),
});
type Network = typeof network extends fc.Arbitrary<infer T> ? T : never;
const changes = ["changed", "removed", "added", "added in a block of its own"] as const;

async function auditNetwork(
  { seed, count, history, lag, version, drops, isToEnd, pageSize, at, wrong }: Network,
  change: (typeof changes)[number] | undefined,
) {
  const generated = createFakeNode({ balances: count, seed }).records.balances;
  const first = BigInt(generated[0]?.timestamp ?? 0);
  const span = BigInt(generated.at(-1)?.timestamp ?? 0) - first || 1n;
  const records = generated.map((record, index) => {
    const time = first - 96n * hour + ((BigInt(record.timestamp) - first) * 96n * hour) / span;
    const isOld = index % 7 === 0;
    // v0.79 nodes send its number.
    const accountType = isOld ? ("ACCOUNT_TYPE_REWARD_AVERAGE_POSITION" as const) : record.accountType;
    return { ...record, accountType, timestamp: `${time - (time % 1000n)}` as const };
  });
  records.sort((a, b) => (BigInt(a.timestamp) < BigInt(b.timestamp) ? -1 : 1));
  const index = Math.floor(at * records.length);
  const target = records[index];
  if (!target) throw new Error("Expected a record.");
  const time = BigInt(target.timestamp) + (change === "added in a block of its own" ? 7000n : 0n);
  const own = [...records];
  const added = { ...target, partyId: "ab".repeat(32), timestamp: `${time}` as const };
  if (change === "changed") own[index] = { ...target, balance: `${target.balance}1` };
  else if (change === "removed") own.splice(index, 1);
  else if (change !== undefined) own.push(added);
  const timeAt = (place: number) => BigInt(records[Math.floor(place * records.length)]?.timestamp ?? 0);
  const block = { height: 3_000_000_000n, timestamp: BigInt(records.at(-1)?.timestamp ?? 0) + 1_000_000_000n };
  const nodes = urls.map((_, place) => {
    const from = history[place];
    const held = { defects: nodeDefects, rateLimit: false, history: from == null ? undefined : timeAt(from) } as const;
    const options = { ...held, version: version[place], lag: lag[place] };
    return createFakeNode({ balances: place === wrong ? own : records, seed, block }, options);
  });
  // What each node keeps and has reached, from what it holds.
  const keeps = nodes.map((node, place) => {
    const from = history[place] == null ? 0n : timeAt(history[place]);
    const times = node.records.balances.map(({ timestamp }) => BigInt(timestamp)).filter((each) => each >= from);
    return { start: times.sort((a, b) => (a < b ? -1 : 1))[0], end: node.block.timestamp };
  });
  const newest = keeps.reduce((latest, { end }) => (end > latest ? end : latest), 0n);
  const near = keeps.map(({ end }) => end).filter((end) => newest - end <= 60_000_000_000n);
  const end = isToEnd ? newest : near.reduce((least, each) => (each < least ? each : least), newest);
  const able = urls.filter((_, place) => {
    const node = keeps[place];
    return time < end && node?.start !== undefined && node.start <= time && time < node.end;
  });
  const dropped = new Map<FakeNode, bigint>();
  const flags = ["--page-size", String(pageSize), ...(isToEnd ? ["--to", `${newest}`] : [])];
  const result = await audit(nodes, flags, (node, request) => {
    for (const drop of drops) {
      if (nodes[drop.node] !== node || request < drop.request) continue;
      let to = timeAt(drop.to);
      // The record that is wrong stays comparable.
      if (change !== undefined) to = timeAt(drop.to * at);
      if (to <= (dropped.get(node) ?? (history[drop.node] == null ? 0n : timeAt(history[drop.node] ?? 0)))) continue;
      dropped.set(node, to);
      node.configure({ history: to });
    }
  });
  const wrongUrl = urls[wrong] ?? "";
  // Two nodes differ, and nothing shows which is wrong.
  const expected = !able.includes(wrongUrl) || able.length < 2 ? [] : able.length === 2 ? able : [wrongUrl];
  return { ...result, expected, target };
}

test("audit never calls a node different that lags or keeps less, whenever it drops records", async () => {
  const property = fc.asyncProperty(network, async (random) => {
    const { code, different, stderr } = await auditNetwork(random, undefined);
    expect(different, stderr).toEqual([]);
    expect([0, 3]).toContain(code);
  });
  await fc.assert(property, { numRuns });
}, 3_600_000);

test("audit names the node whose record was changed, removed or added, and the record", async () => {
  const property = fc.asyncProperty(network, fc.constantFrom(...changes), async (random, change) => {
    const { code, different, expected, stderr, target } = await auditNetwork(random, change);
    expect(different, stderr).toEqual(expected);
    if (expected.length === 0) expect([0, 3]).toContain(code);
    // Such a network does not count as a run.
    fc.pre(expected.length > 0);
    expect(code).toBe(1);
    const party = change.startsWith("added") ? "ab".repeat(32) : target.partyId;
    expect(stderr).toContain(`party ${party}, asset ${target.assetId}`);
    expect(stderr).toMatch(change === "changed" ? /\(https:.*: \d+; https:.*: \d+\)/ : /: no such record/);
  });
  await fc.assert(property, { numRuns });
}, 3_600_000);

test("audit compares votes, signatures and profiles, which change while they are read", async () => {
  const data = { balances: 20, votes: 30, signatures: 12, profiles: 8, seed: 1 };
  const { votes, signatures, profiles, balances } = createFakeNode(data).records;
  const [{ proposalId = "" } = {}, { id = "" } = {}] = [votes[0], signatures[0]];
  const flags = ["--proposal", proposalId, "--id", id, "--profiles"];
  const run = (changed: object, seed = 0, ...more: string[]) => {
    const settings = [{ version: "v0.79" as const, lag: seed % 3 }, {}, { lag: 1 }];
    const nodes = settings.map((options, place) => {
      const data = { balances, votes, signatures, profiles, ...(place === 1 && changed) };
      return createFakeNode(data, { rateLimit: false, ...options });
    });
    // The chain goes on: profiles, votes and signatures change at any time.
    return audit(nodes, [...flags, ...more], (_, request) => {
      const { timestamp } = nodes[1]?.block ?? {};
      const [vote, profile, signature] = [votes[3], profiles[2], signatures[1]];
      const isChange = seed > 0 && (request * seed) % 5 === 0 && timestamp && vote && profile && signature;
      const changes = isChange && {
        votes: [{ ...vote, timestamp: `${timestamp}` as const, totalGovernanceTokenBalance: `${request}` }],
        profiles: [{ ...profile, alias: `alias ${request}` }],
        signatures: [{ ...signature, sig: Buffer.from(`signature ${request}`).toString("base64") }],
      };
      for (const node of nodes) node.nextBlock(changes || {});
    });
  };
  for (let seed = 0; seed < Math.max(5, numRuns / 4); seed++) {
    const { code, different, stderr } = await run({}, seed);
    expect([code, different], stderr).toEqual([0, []]);
  }
  const wrong = {
    votes: votes.map((vote, index) => (index === 0 ? { ...vote, value: "VALUE_UNSPECIFIED" as const } : vote)),
    signatures: signatures.slice(1),
    profiles: [...profiles, { partyId: "cd".repeat(32), alias: "", metadata: [] }],
  };
  for (const seed of [0, 1, 2]) {
    const { code, rows, stderr } = await run(wrong, seed);
    const different = rows.filter(({ state }) => state === "different").map(({ list, url }) => [list, url]);
    expect([code, different], stderr).toEqual([1, Object.keys(wrong).map((list) => [list, urls[1]])]);
    const added = `party ${"cd".repeat(32)} (https://a.example, https://c.example: no such record; https://b.example: `;
    expect(stderr).toContain(added);
  }
  const { stdout } = await run(wrong, 0, "--format", "prometheus", "--quiet");
  for (const [node, state] of Object.entries({ a: "equal", b: "different" })) {
    const labels = { node: `${node}.example`, list: "votes", state };
    expect(readMetrics(stdout)("audit_parts")).toContainEqual({ labels, value: "1" });
  }
});

test("audit says what it cannot compare, and a node that does not respond is not different", async () => {
  const { balances } = createFakeNode({ balances: 60, seed: 3 }).records;
  const create = (options: object) => createFakeNode({ balances }, { rateLimit: false, ...options });
  const times = [...new Set(balances.map(({ timestamp }) => BigInt(timestamp)))].sort((a, b) => (a < b ? -1 : 1));
  const middle = times[2] ?? 0n;
  const nodes = [create({}), create({ history: middle }), create({})];
  const states = ({ rows }: Awaited<ReturnType<typeof audit>>) => new Set(rows.map(({ url, state }) => url + state));
  const later = await audit(nodes);
  expect([later.code, states(later).has(`${urls[1]}later`)]).toEqual([3, true]);
  expect((await audit(nodes, ["--from", `${middle}`])).code).toBe(0);
  expect((await audit(nodes, ["--from", `${middle}`, "--to", "2100-01-01"])).code).toBe(3);
  const nothing = /^Error: There is nothing to compare: the range begins at 2100-01-01.*ends at 2024-/;
  expect(await audit(nodes, ["--from", "2100"])).toMatchObject({ ...ended(3, nothing), rows: [] });
  nodes[1]?.configure({ down: true });
  const down = await audit(nodes, ["--retries", "0"]);
  const expected = new Set([`${urls[0]}equal`, `${urls[1]}unresponsive`, `${urls[2]}equal`]);
  expect([down.code, states(down)]).toEqual([3, expected]);
  const silent = down.rows.find(({ state }) => state === "unresponsive");
  expect(silent).toMatchObject({ url: urls[1] });
  expect(silent).not.toHaveProperty("digest");
  expect(down.stderr).toContain("https://b.example: ");
  expect((await runCli(["audit", "https://a.example", "a.example"])).code).toBe(2);
  const { code, stderr } = await audit([1, 2, 3].map(() => create({ blockHeaders: false })));
  expect([code, stderr]).toEqual([
    3,
    expect.stringContaining("or no node sends block headers. A proxy can remove them."),
  ]);
});

test("audit says that it cannot compare more than 10,000 profiles, and advises nothing that does not help", async () => {
  const create = () => createFakeNode({ balances: 9, profiles: 10_500 }, { defects: nodeDefects, rateLimit: false });
  const { code, stderr } = await audit([create(), create(), create()], ["--profiles"]);
  expect([code, stderr]).toEqual([3, expect.stringMatching(/ They cannot be compared\. Leave out --profiles\.\n$/)]);
});
