import { describe, expect, test } from "vitest";
import { ApiError, createClient } from "../../../src/index.js";
import { createFakeNode, type FakeNode, nodeDefects } from "../../../src/testing/index.js";

const clientOf = ({ fetch }: FakeNode) => createClient({ baseUrl: "https://node.example", fetch, pacing: false });

describe("a walk over profiles on a node that responds with 500 to every cursor", () => {
  test("yields one page and then rejects with an error that says what to do, without a retry", async () => {
    const node = createFakeNode({ profiles: 25 }, { defects: nodeDefects });
    const client = clientOf(node);
    const walked: string[] = [];
    const walk = async () => {
      for await (const { partyId } of client.listPartiesProfiles({ pagination: { first: 10 } })) walked.push(partyId);
    };
    const error: unknown = await walk().catch((reason: unknown) => reason);
    expect(error).toSatisfy(ApiError.is);
    expect(error).toMatchObject({ status: 500, attempts: 1, pagesRead: 1, itemsRead: 10, resume: { first: 10 } });
    expect((error as Error).message).toContain(
      "v0.74 nodes respond to every cursor of this list with this status, so only its first page works. Request a larger page " +
        "(`pagination.first`, at most 5000), the other end of the list (`newestFirst: false`), or the parties by name (`parties`).",
    );
    expect(walked).toHaveLength(10);
    expect(node.requests).toHaveLength(2);

    // All three do.
    expect(await client.listPartiesProfiles().toArray()).toHaveLength(25);
    const other = await client.listPartiesProfiles({ pagination: { first: 10, newestFirst: false } });
    expect(other.nodes.map(({ partyId }) => partyId).filter((id) => walked.includes(id))).toEqual([]);
    const [one = ""] = node.records.profiles.map(({ partyId }) => partyId).filter((id) => !walked.includes(id));
    expect((await client.listPartiesProfiles({ parties: [one] })).nodes).toHaveLength(1);
  });

  test("is retried if its first page fails", async () => {
    const node = createFakeNode({ profiles: 5 }, { faults: [{ name: "status", status: 500, request: 1 }] });
    const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch, retry: { baseDelay: 1 } });
    expect(await client.listPartiesProfiles().toArray()).toHaveLength(5);
    expect(node.requests).toHaveLength(2);
  });
});
