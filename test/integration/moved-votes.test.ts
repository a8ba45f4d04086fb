import fc from "fast-check";
import { expect, test } from "vitest";
import { createClient, type Vote } from "../../src/index.js";
import type { FakeNode, FakeVote } from "../../src/testing/index.js";
import { runs } from "../support/runs.js";
import { createUnstableNode } from "../support/unstable-ties.js";

const hex = (number: number) => number.toString(16).padStart(64, "0");
const proposalId = hex(0xfff);
const timeOf = (block: number) => `${1_707_486_400_000_000_000n + BigInt(block) * 1_000_000_000n}` as const;

/** A vote that a party casts, or casts again, in a block. */
const cast = (party: number, block: number): FakeVote => ({
  partyId: hex(party),
  proposalId,
  timestamp: timeOf(block),
  value: "VALUE_YES",
  totalGovernanceTokenBalance: "1",
  totalGovernanceTokenWeight: "1",
  totalEquityLikeShareWeight: "0",
});

const textOf = ({ partyId, timestamp }: Vote) => `${partyId} ${timestamp}`;

test("a walk with the oldest votes first yields the last vote of every party, also of parties that vote again meanwhile", async () => {
  const counts = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 12 });
  const recasts = fc.array(fc.array(fc.nat(80), { maxLength: 4 }), { maxLength: 12 });
  const property = fc.asyncProperty(counts, recasts, fc.boolean(), async (counts, recasts, unstableTies) => {
    const votes = counts
      .flatMap((count, block) => Array.from({ length: count }, () => block))
      .map((block, party) => cast(party, block));
    const node = createUnstableNode({ votes }, unstableTies);
    let block = counts.length;
    let atLastRequest: readonly Vote[] = [];
    const fetch: FakeNode["fetch"] = async (...args) => {
      atLastRequest = node.records.votes;
      const response = await node.fetch(...args);
      const parties = new Set((recasts.shift() ?? []).map((party) => party % votes.length));
      block += 2;
      node.nextBlock({ votes: [...parties].map((party) => cast(party, block)) });
      return response;
    };
    const client = createClient({ baseUrl: "https://node.example", fetch, pacing: false });
    const walked = await client.listVotes({ proposalId, pagination: { first: 20, newestFirst: false } }).toArray();
    expect(new Set(walked.map(textOf)).size).toBe(walked.length);
    const lastOfParty = new Map(walked.map((vote) => [vote.partyId, textOf(vote)]));
    expect([...lastOfParty.values()].sort()).toEqual(atLastRequest.map(textOf).sort());
  });
  await fc.assert(property, runs(80));
});
