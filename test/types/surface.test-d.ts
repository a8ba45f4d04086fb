import { describe, expectTypeOf, test } from "vitest";
import type { operations as Described } from "../../generated/openapi.js";
import type * as vega from "../../src/index.js";
import { createClient, isAccountType, paginate } from "../../src/index.js";

type Keys<Union> = Union extends unknown ? keyof Union : never;
/** The parameters of the query of an operation, as `openapi-typescript` reads the description: the part before the dot. */
type QueryOf<Id extends keyof Described> = keyof NonNullable<Described[Id]["parameters"]["query"]> extends infer Name
  ? Name extends `${infer Group}.${string}`
    ? Group
    : Name
  : never;

const client = createClient({ baseUrl: "https://node.example", fetch: globalThis.fetch });
declare const maybe: string | undefined;

describe("the compiler rejects", () => {
  test("votes with neither id", () => {
    client.listVotes({ partyId: "a" });
    client.listVotes({ partyId: "a", proposalId: "b" });
    client.listVotes({ partyId: maybe, proposalId: "b" });
    // @ts-expect-error: one of the two ids has to be there
    client.listVotes({});
    // @ts-expect-error: one of the two ids has to be there
    client.listVotes({ partyId: maybe, proposalId: maybe });
  });

  test("contradictory paging", () => {
    const forward: vega.ForwardPagination = { first: 1, after: "c", newestFirst: false };
    const pagination: vega.Pagination = Math.random() < 0.5 ? forward : { last: 1 };
    client.listNodeSignatures({ id: "a", pagination });
    // @ts-expect-error: forward or backward
    client.listNodeSignatures({ id: "a", pagination: { first: 1, last: 1 } });
    // @ts-expect-error: forward or backward
    client.listNodeSignatures({ id: "a", pagination: { first: 1, before: "c" } });
    const fetchPage = async () => ({ edges: [], pageInfo: null });
    paginate(fetchPage, { first: 1, after: "c" });
    // @ts-expect-error: forward or backward
    paginate(fetchPage, { first: 1, last: 1 });
    expectTypeOf<Parameters<vega.FetchPage<string>>[0]>().toEqualTypeOf<vega.Pagination>();
  });

  test("names that an operation does not have", () => {
    // @ts-expect-error: misspelled
    client.listVotes({ partyId: "a", proposalID: "b" });
    // @ts-expect-error: misspelled
    client.listBalanceChanges({ filter: { partyId: "a" } });
    // @ts-expect-error: unknown
    client.listBalanceChanges({ filter: { accountTypes: ["GENERAL"] } });
  });

  test("a nanosecond time as a number", () => {
    client.listBalanceChanges({ dateRange: { startTimestamp: 1n, endTimestamp: "2" } });
    client.listBalanceChanges({ dateRange: { startTimestamp: new Date(), endTimestamp: { epochNanoseconds: 2n } } });
    // @ts-expect-error: a number cannot hold it exactly
    client.listBalanceChanges({ dateRange: { startTimestamp: 1707497689123456000 } });
    // @ts-expect-error: a number cannot hold it exactly
    client.scanBalanceChanges({ dateRange: { startTimestamp: 1707497689123456000 } });
  });

  test("paging of a scan, which has no cursors", () => {
    client.scanBalanceChanges({ filter: { assetId: "a" } }, { order: "newest-first", concurrency: 2 });
    // @ts-expect-error: there are no pages
    client.scanBalanceChanges({ pagination: { first: 5 } });
  });
});

describe("the result of", () => {
  test("each method has its type", () => {
    expectTypeOf(client.listVotes({ partyId: "a" })).toEqualTypeOf<vega.Listing<vega.Vote>>();
    expectTypeOf(client.listPartiesProfiles()).toEqualTypeOf<vega.Listing<vega.PartyProfile>>();
    expectTypeOf(client.listNodeSignatures({ id: "a" })).toEqualTypeOf<vega.Listing<vega.NodeSignature>>();
    expectTypeOf(client.getSpamStatistics({ partyId: "a" })).toEqualTypeOf<vega.Call<vega.SpamStatisticsResponse>>();
    expectTypeOf(client.checkTransaction({ tx: {} })).toEqualTypeOf<vega.Call<vega.TransactionCheckResult>>();
  });

  test("a listing is a page if it is awaited, and records in a loop", async () => {
    expectTypeOf(await client.listVotes({ partyId: "a" })).toEqualTypeOf<vega.Page<vega.Vote>>();
    expectTypeOf(client.listVotes({ partyId: "a" }).then(({ nodes }) => nodes)).toEqualTypeOf<Promise<vega.Vote[]>>();
    expectTypeOf(await client.listVotes({ partyId: "a" }).toArray()).toEqualTypeOf<vega.Vote[]>();
    for await (const vote of client.listVotes({ partyId: "a" })) expectTypeOf(vote).toEqualTypeOf<vega.Vote>();
    for await (const page of client.listVotes({ partyId: "a" }).pages())
      expectTypeOf(page).toEqualTypeOf<vega.Page<vega.Vote>>();
    for await (const { node } of client.listVotes({ partyId: "a" }).edges())
      expectTypeOf(node).toEqualTypeOf<vega.Vote>();
  });

  test("a scan is records in a loop", async () => {
    for await (const change of client.scanBalanceChanges()) expectTypeOf(change).toEqualTypeOf<vega.BalanceChange>();
    expectTypeOf(await client.scanBalanceChanges().toArray()).toEqualTypeOf<vega.BalanceChange[]>();
    // @ts-expect-error: it has no first page to be awaited for
    client.scanBalanceChanges().then;
  });

  test("paginate has the type of the records of its list", async () => {
    const fetchPage = async () => ({ edges: [{ cursor: "a", node: 1 }], pageInfo: null });
    expectTypeOf((await paginate(fetchPage)).nodes).toEqualTypeOf<number[]>();
  });

  test("an error has a `resume` that its method accepts", () => {
    const go = (error: vega.VegaError) => client.listVotes({ partyId: "a", ...error.resume });
    expectTypeOf(go).returns.toEqualTypeOf<vega.Listing<vega.Vote>>();
    // @ts-expect-error - its member is not the argument's.
    const confused = (error: vega.VegaError) => client.scanBalanceChanges({ dateRange: error.resume });
    const scanOn = (error: vega.VegaError) => client.scanBalanceChanges({ ...error.resume });
    expectTypeOf(scanOn).returns.toEqualTypeOf<vega.Scan<vega.BalanceChange>>();
    expectTypeOf(confused).returns.toEqualTypeOf<vega.Scan<vega.BalanceChange>>();
  });

  test("a check narrows by its success", async () => {
    const result = await client.checkTransaction({ tx: {} });
    if (result.success) expectTypeOf(result.success).toEqualTypeOf<true>();
    else expectTypeOf(result.success).toEqualTypeOf<false>();
  });

  test("a guard narrows an open enumeration to its known names", async () => {
    const [change] = (await client.listBalanceChanges()).nodes;
    const type = change?.accountType;
    if (isAccountType(type)) expectTypeOf(type).toEqualTypeOf<vega.AccountType>();
  });

  test("client.http is typed by the description", async () => {
    const { data, error } = await client.http.GET("/api/v2/votes", { params: { query: { partyId: "a" } } });
    expectTypeOf(data?.votes.edges[0]?.cursor).toEqualTypeOf<string | undefined>();
    expectTypeOf(error?.code).toEqualTypeOf<number | undefined>();
    // @ts-expect-error: no such path
    await client.http.GET("/api/v2/vote");
  });
});

test("the members of an argument are the parameters of the description", () => {
  expectTypeOf<Keys<vega.ListVotesArguments>>().toEqualTypeOf<QueryOf<"listVotes">>();
  expectTypeOf<Keys<vega.ListPartiesProfilesArguments>>().toEqualTypeOf<QueryOf<"listPartiesProfiles">>();
  expectTypeOf<Keys<vega.ListBalanceChangesArguments>>().toEqualTypeOf<QueryOf<"listBalanceChanges">>();
  expectTypeOf<Keys<vega.ListNodeSignaturesArguments>>().toEqualTypeOf<QueryOf<"listNodeSignatures">>();
  expectTypeOf<Keys<vega.GetSpamStatisticsArguments>>().toEqualTypeOf<"partyId">();
  expectTypeOf<Keys<vega.CheckTransactionArguments>>().toEqualTypeOf<"tx">();
});
