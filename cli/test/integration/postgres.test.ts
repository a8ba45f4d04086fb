import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { changes, type Node, startNode } from "../support/changes.js";
import { hasPostgres, startPostgres } from "../support/postgres.js";
import { runCli } from "../support/run-cli.js";

describe.skipIf(!hasPostgres)("PostgreSQL (skipped if it is not installed)", () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server.close());
  beforeEach(async () => {
    await server.sql`DROP SCHEMA IF EXISTS vega CASCADE`;
  });

  const sync = (node: Node, ...args: string[]) =>
    runCli(["sync", server.url, "--catch-up", "10ms", ...args], { fetch: node.fetch });
  const stored = () =>
    server.sql`SELECT (extract(epoch FROM time) * 1000000)::bigint * 1000 AS time, party, asset, market, account_type, balance::text
      FROM vega.balance_changes ORDER BY vega.balance_changes.time`;
  const rowsOf = (records: typeof changes) =>
    records.map(({ timestamp, partyId, assetId, marketId, accountType, balance }) => ({
      time: BigInt(timestamp),
      party: partyId,
      asset: assetId,
      market: marketId,
      account_type: accountType,
      balance,
    }));

  test("has votes with their versions, signatures and profiles", async () => {
    const node = startNode({ votes: 300, profiles: 40, signatures: 30 });
    const [vote] = node.records.votes;
    const lists = ["votes", "profiles", "signatures", "--proposal", vote?.proposalId ?? ""];
    const id = node.records.signatures[0]?.id ?? "";
    for (let run = 0; run < 2; run++) expect(await sync(node, ...lists, "--id", id)).toMatchObject({ code: 0 });
    const votes = node.records.votes.filter(({ proposalId }) => proposalId === vote?.proposalId);
    const [counts] = await server.sql`SELECT (SELECT count(*) FROM vega.votes) AS votes,
      (SELECT count(*) FROM vega.votes_history) AS versions, (SELECT count(*) FROM vega.node_signatures) AS signatures,
      (SELECT count(*) FROM vega.party_profiles) AS profiles`;
    const signatures = BigInt(node.records.signatures.filter((each) => each.id === id).length);
    expect(counts).toEqual({ votes: BigInt(votes.length), versions: BigInt(votes.length), signatures, profiles: 40n });
    node.nextBlock({
      votes: [{ ...votes[0], value: "VALUE_NO", timestamp: `${node.block.timestamp}` } as (typeof votes)[0]],
    });
    node.nextBlock();
    expect(await sync(node, ...lists, "--id", id)).toMatchObject({ code: 0 });
    const versions =
      await server.sql`SELECT value FROM vega.votes_history WHERE party = ${votes[0]?.partyId ?? ""} ORDER BY id`;
    expect(versions.at(-1)?.["value"]).toBe("VALUE_NO");
  });

  test("keeps the tables of a schema of its own, which --schema names", async () => {
    const node = startNode();
    expect(await sync(node, "--schema", "copy_2")).toMatchObject({ code: 0 });
    expect(await server.sql`SELECT count(*) AS count FROM copy_2.balance_changes`).toMatchObject([{ count: 200n }]);
    expect(await sync(node, "--schema", "a; b")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--schema"),
    });
    await server.sql`CREATE SCHEMA vega`;
    await server.sql`CREATE TABLE vega.mine (value text)`;
    expect(await sync(node)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("has tables that sync has not created. Use another --schema"),
    });
    expect(await sync(node, "--check")).toMatchObject({ code: 1, stderr: expect.stringContaining("not created") });
  });

  test("names what is wrong with a user who only reads, and with a server that is not there", async () => {
    const node = startNode();
    await sync(node);
    await server.sql`DROP ROLE IF EXISTS reader`;
    await server.sql`CREATE ROLE reader LOGIN IN ROLE pg_read_all_data`;
    node.nextBlock({ balances: 5 });
    node.nextBlock();
    const url = server.url.replace("owner:secret", "reader:hidden");
    const { code, stderr } = await runCli(["sync", url], { fetch: node.fetch });
    expect([code, stderr]).toEqual([1, expect.stringContaining("permission denied")]);
    expect(stderr).toContain("Use a user who may create and write tables there.");
    expect(stderr).not.toContain("hidden");
    expect(await runCli(["sync", url, "--check"], { fetch: node.fetch })).toMatchObject({ code: 0 });
    await server.sql`DROP ROLE reader`;
    const absent = await runCli(["sync", "postgres://owner:secret@127.0.0.1:1/vega"], { fetch: node.fetch });
    expect(absent).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("owner:…@127.0.0.1:1/vega: no server listens there"),
    });
  });

  test.each(["SIGQUIT", "SIGINT"] as const)("continues when the server restarts after %s", async (signal) => {
    const node = startNode();
    let requests = 0;
    const result = await sync(
      {
        fetch: async (request) => {
          if (++requests === 5) await server.restart(signal);
          return node.fetch(request);
        },
      },
      "--page-size",
      "20",
    );
    expect(result).toMatchObject({ code: 0 });
    expect([...(await stored())]).toEqual(rowsOf(changes));
  });
});
