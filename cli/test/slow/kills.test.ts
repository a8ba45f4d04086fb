import { readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { createFakeNetwork, nodeDefects } from "vegaprotocol-client/testing";
import { listen } from "vegaprotocol-client/testing/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runs } from "../../../test/support/runs.js";
import { finish, finishWithin, start } from "../support/cli-process.js";
import { useFolder } from "../support/run-cli.js";

const path = useFolder();

/** Of each case. */
const { numRuns: kills } = runs(6);

// Blocks of many changes, cursors that lose records, and a node that is behind at times.
const network = createFakeNetwork(
  { nodes: [{}, { lag: 400 }, {}], balances: 12_000, votes: 3000 },
  { rateLimit: false, defects: nodeDefects },
);
const proposal = network.records.votes[0]?.proposalId ?? "";
/** The part of the responses of the first node that are errors. */
let failing = 0;
let servers: Awaited<ReturnType<typeof listen>>[];
beforeAll(async () => {
  servers = await Promise.all(
    network.nodes.map((node, index) => {
      const fetch = async (request: Request) =>
        index === 0 && Math.random() < failing ? new Response("", { status: 503 }) : node.fetch(request);
      return listen({ ...node, fetch });
    }),
  );
});
afterAll(() => Promise.all(servers.map((server) => server.close())));

const urlOf = (index: number) => servers[index]?.url ?? "";
const textOf = async (file: string) => {
  const bytes = await readFile(file).catch(() => undefined);
  return bytes && (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
};

const balances = ["balances", "--page-size", "500"];
const votes = ["votes", "--proposal", proposal, "--page-size", "1000"];
// Without an end, an export ends with the block of its first response, which can be of the node that is behind.
const end = new Date(Number(network.block.timestamp / 1_000_000n)).toISOString();
const newestFirst = [...balances, "--order", "newest-first", "--to", end];

/** `failing` is the part of the responses of the first node that are errors. */
test.each<[title: string, suffix: string, command: readonly string[], failing?: number, nodes?: readonly number[]]>([
  ["CSV that is replaced", "csv", [...balances, "--force"]],
  ["compressed NDJSON, with a node that fails", "ndjson.gz", [...balances, "--retries", "0"], 0.05],
  ["NDJSON with the newest record first, with a node that is behind", "ndjson", newestFirst, 0, [1, 0, 2]],
  ["JSON that is replaced", "json", [...votes, "--force"]],
])(
  `an export as %s, killed ${kills} times at random times, of two writers, is whole or not there`,
  async (_, suffix, command, share = 0, nodes = [0]) => {
    const file = path(`x.${suffix}`);
    const before = command.includes("--force") ? "earlier" : undefined;
    const argv = [...command, "-o", file, ...nodes.flatMap((node) => ["--node", urlOf(node)])];
    failing = 0;
    const begun = performance.now();
    expect(await finish(start(argv))).toMatchObject({ code: 0 });
    const duration = performance.now() - begun;
    const whole = await textOf(file);
    failing = share;
    for (let killed = 0; killed < kills; ) {
      await rm(file, { force: true });
      if (before !== undefined) await writeFile(file, before);
      const results = await Promise.all(
        [start(argv), start(argv)].map((child) => finishWithin(Math.random() * 1.5 * duration, child)),
      );
      for (const { code, signal, stderr } of results) {
        if (signal === "SIGKILL") killed++;
        // Done, the second one, or failed: no other end is known.
        else expect([0, 1, 2], stderr).toContain(code);
        if (code === 2) expect(stderr).toMatch(/^Error: \S+ exists\. Use --force to replace it/);
        if (code === 1) expect(stderr).toMatch(/503|reset|closed/);
      }
      // A process that was killed after its last step has completed the file, too.
      const found = await textOf(file).catch(() => "broken");
      const isDone = results.some(({ code }) => code === 0);
      expect(found === whole || (!isDone && found === before), `${found?.length} characters`).toBe(true);
    }
    failing = 0;
    await rm(file, { force: true });
    // Files that were left are removed an hour later.
    for (const left of await readdir(path("."))) await utimes(path(left), 0, 0);
    expect(await finish(start(argv))).toMatchObject({ code: 0 });
    // One that failed has kept its blocks.
    if (share === 0) expect(await readdir(path("."))).toEqual([`x.${suffix}`]);
  },
  900_000,
);
