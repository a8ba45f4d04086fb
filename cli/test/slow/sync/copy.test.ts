import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { listen } from "vegaprotocol-client/testing/node";
import { beforeAll, expect, test } from "vitest";
import { hasPostgres, startPostgres } from "../../support/postgres.js";
import { installNode, main, queryDatabase, readDestination, runNode } from "./sqlite-node.js";

beforeAll(installNode);

test.skipIf(!hasPostgres)("a copy to PostgreSQL equals the database, and continues with the node", async () => {
  const folder = await mkdtemp(join(tmpdir(), "copy-"));
  const file = join(folder, "vega.db");
  const network = createFakeNode(
    { balances: 20_000, votes: 600, signatures: 20, profiles: 30 },
    { defects: nodeDefects, rateLimit: false },
  );
  const node = await listen(network);
  const server = await startPostgres();
  try {
    const [vote] = network.records.votes;
    const lists = ["balances", "votes", "signatures", "profiles", "--proposal", vote?.proposalId ?? ""];
    const args = [...lists, "--id", network.records.signatures[0]?.id ?? "", "--node", node.url, "--quiet"];
    const party = ["balances", "--party", vote?.partyId ?? "", "--node", node.url, "--quiet"];
    for (const each of [args, party])
      expect(await runNode([main, "sync", file, ...each])).toMatchObject({ code: 0, stderr: "" });
    for (let run = 0; run < 2; run++) {
      const copied = await runNode([main, "sync", server.url, "--from-db", file]);
      expect(copied).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining(`equals ${file}: `) });
      expect(copied.stdout).not.toContain("secret");
    }
    expect(await readDestination(server.url)).toEqual(await readDestination(file));
    const versions = "SELECT CAST(count(*) AS TEXT) AS count FROM votes_history";
    const [found] = await queryDatabase(file, [versions]);
    expect(await server.sql(versions.replace("votes", "vega.votes"))).toEqual(found);
    network.nextBlock({ balances: 10 });
    network.nextBlock();
    const continued = await runNode([main, "sync", server.url, ...args.slice(0, -1)]);
    expect(continued).toMatchObject({ code: 0, stderr: expect.stringContaining(": 10 balances stored") });
    expect(await runNode([main, "sync", server.url, "--check", "--node", node.url])).toMatchObject({ code: 0 });
  } finally {
    await node.close();
    await server.close();
    await rm(folder, { recursive: true });
  }
});
