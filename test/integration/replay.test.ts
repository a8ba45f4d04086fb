import { describe, expect, test } from "vitest";
import { createClient } from "../../src/index.js";
import { hasTape, recordings, replay, worldData } from "../support/tape.js";

const baseUrl = "https://node.example";

/** The walks that a real node was asked for, of each page size and order. */
function walksOf(name: string) {
  const all = recordings(name).filter((each) => each.class === "cross");
  const starts = all.flatMap(({ path }) => {
    const { searchParams: parameters } = new URL(path, baseUrl);
    const [first, newestFirst] = [Number(parameters.get("pagination.first")), parameters.get("pagination.newestFirst")];
    const isStart = first > 0 && newestFirst !== null && !parameters.has("pagination.after");
    return isStart
      ? [{ id: parameters.get("id") ?? "", pagination: { first, newestFirst: newestFirst === "true" } }]
      : [];
  });
  return { starts, client: createClient({ baseUrl, fetch: replay(all), pacing: false }) };
}

describe.skipIf(!hasTape)("on recorded pages of a v0.74.0 node, a client", () => {
  test("reads every signature, in each recorded page size and order", async () => {
    const { starts, client } = walksOf("listNodeSignatures");
    const { signatures } = worldData();
    expect(starts.length).toBeGreaterThan(3);
    for (const { id, pagination } of starts) {
      const wanted = (Array.isArray(signatures) ? signatures : []).filter((each) => each.id === id);
      const walked = await client.listNodeSignatures({ id, pagination }).toArray();
      expect([pagination, walked.map(({ sig }) => sig).sort()]).toEqual([
        pagination,
        wanted.map(({ sig }) => sig).sort(),
      ]);
    }
  });

  test("yields the first page of profiles, and says what to do about the error of the second one", async () => {
    const { starts, client } = walksOf("listPartiesProfiles");
    const failures = [];
    for (const { pagination } of starts) {
      const walk = client.listPartiesProfiles({ pagination });
      const error = await walk.toArray().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error === undefined) continue;
      failures.push(error);
      expect(error).toMatchObject({ status: 500, itemsRead: pagination.first });
      expect(String(error)).toContain("only its first page works");
    }
    expect(failures.length).toBeGreaterThan(3);
  });
});
