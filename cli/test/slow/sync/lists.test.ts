import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { describe, expect, test } from "vitest";
import { useDatabase } from "./sqlite-node.js";

const { start, stored } = useDatabase();

describe("profiles", () => {
  const parties = (count: number) => Array.from({ length: count }, (_, index) => index.toString(16).padStart(64, "0"));
  const profilesOf = (count: number) => parties(count).map((partyId) => ({ partyId, alias: "", metadata: [] }));

  test("of up to 10,000 parties are all stored, from both ends of the list", async () => {
    const sync = await start(
      createFakeNode({ profiles: profilesOf(9999) }, { defects: nodeDefects, rateLimit: false }),
    );
    expect(await sync("profiles")).toMatchObject({ code: 0, stderr: expect.stringContaining("9,999 profiles stored") });
    const { profiles } = await stored();
    expect(new Set(profiles.map(({ party }) => party))).toEqual(new Set(parties(9999)));
  });

  test("of more parties are stored as far as the node shows them, and the other lists continue", async () => {
    const data = { balances: 20_000, profiles: profilesOf(12_000) };
    const sync = await start(createFakeNode(data, { defects: nodeDefects, rateLimit: false }));
    const { code, stderr } = await sync("balances", "profiles");
    expect(code).toBe(3);
    expect(stderr).toContain("20,000 balances stored");
    expect(stderr).toContain("10,000 profiles stored");
    const all = parties(12_000);
    expect(stderr).toContain(`those between party ${all[4999]} and party ${all[7000]} are missing`);
    const { balances, profiles } = await stored();
    expect([balances.length, profiles.length]).toEqual([20_000, 10_000]);
  });

  test("are read page by page from a node whose cursors work", async () => {
    const sync = await start(createFakeNode({ profiles: profilesOf(12_000) }, { rateLimit: false }));
    expect(await sync("profiles")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("12,000 profiles stored"),
    });
  });
});

describe("a node that has no block after the last run", () => {
  test("is not waited for", async () => {
    const fake = createFakeNode({ balances: 300, votes: 100 }, { defects: nodeDefects, rateLimit: false });
    const sync = await start(fake);
    const lists = ["balances", "votes", "--proposal", fake.records.votes[0]?.proposalId ?? ""];
    expect(await sync(...lists)).toMatchObject({ code: 0 });
    // A wait would take longer than this test may.
    const { code, stderr } = await sync(...lists, "--catch-up", "10m");
    expect(code).toBe(0);
    expect(stderr).toMatch(/: 0 balances stored, complete up to .*\n.*: 0 votes stored, complete up to /);
  });

  test("and is behind what is stored is waited for with a message", async () => {
    const fake = createFakeNode({ balances: 300 }, { defects: nodeDefects, rateLimit: false });
    const sync = await start(fake);
    expect(await sync()).toMatchObject({ code: 0 });
    fake.configure({ lag: 3 });
    for (const check of [[], ["--check"]]) {
      const { code, stderr } = await sync("--catch-up", "1s", ...check);
      expect([code, stderr]).toEqual([3, expect.stringMatching(/^The node has reached .* waiting for it for 1s\.\n/)]);
    }
  });
});
