import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createClient, type VegaClient } from "../../../src/index.js";
import { respondWith } from "../../support/recorder.js";

const page = { edges: [], pageInfo: { startCursor: "", endCursor: "", hasNextPage: false, hasPreviousPage: false } };

const passed = { success: true, code: 0, data: "", log: "", gasWanted: "1", gasUsed: "0", info: "" };

function connect() {
  const { fetch, sent } = respondWith({ votes: page, profiles: page, balances: page, signatures: page, ...passed });
  return { client: createClient({ baseUrl: "https://node.example", fetch }), sent };
}

/** Calls with arguments that the compiler would refuse. */
type Untyped = { [Id in keyof VegaClient]: (query?: unknown, options?: unknown) => PromiseLike<unknown> };

/** The method, its argument, the invalid member, and what the message says of it after "Expected … of … to be", or as a whole. */
type Refusal = [method: keyof VegaClient, query: unknown, argument: string, message: string, options?: object];

const time = "Unix nanoseconds as a bigint or digits, a Date or a Temporal.Instant, within 64 bits";
const neither = "Expected `partyId` or `proposalId` of listVotes, got neither.";
const hint = " (toNanoseconds() reads RFC 3339 text)";
const cannotCombine = (one: string, other: string) =>
  `\`pagination.${other}\` of listBalanceChanges cannot be combined with \`pagination.${one}\`.`;

const refusals: Refusal[] = [
  ["listVotes", {}, "partyId", neither],
  ["listVotes", { partyId: undefined, proposalId: undefined }, "partyId", neither],
  ["listVotes", { partyId: "" }, "partyId", 'a non-empty string, got "".'],
  ["listVotes", { partyId: null }, "partyId", "a non-empty string, got null."],
  ["listVotes", undefined, "partyId", neither],
  ["listVotes", 5, "query", "an object with at least one of `partyId`, `proposalId`, `pagination`, got 5."],
  ["listVotes", { proposalID: "b" }, "proposalID", "listVotes has no `proposalID`. Did you mean `proposalId`?"],
  [
    "listVotes",
    { partyId: "a", pagination: { fist: 1 } },
    "pagination.fist",
    "listVotes has no `pagination.fist`. Did you mean `first`?",
  ],
  [
    "listVotes",
    { partyId: "a", toString: "b" },
    "toString",
    "listVotes has no `toString`. Expected `partyId`, `proposalId`, `pagination`.",
  ],
  [
    "listVotes",
    { partyId: "a", pagination: 5 },
    "pagination",
    "an object with at least one of `first`, `after`, `last`, `before`, `newestFirst`, got 5.",
  ],
  ...([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '"5"', "5n", null, 2 ** 31] as const).map((first): Refusal => {
    const value = first === '"5"' ? "5" : first === "5n" ? 5n : first;
    const message = `an integer from 1 to 2147483647, got ${first}.`;
    return ["listNodeSignatures", { id: "a", pagination: { first: value } }, "pagination.first", message];
  }),
  ["listNodeSignatures", { id: "a", pagination: { after: "" } }, "pagination.after", 'a non-empty string, got "".'],
  [
    "listNodeSignatures",
    { id: "a", pagination: { newestFirst: "yes" } },
    "pagination.newestFirst",
    'a boolean, got "yes".',
  ],
  ["listBalanceChanges", { pagination: { first: 1, last: 2 } }, "pagination.last", cannotCombine("first", "last")],
  [
    "listBalanceChanges",
    { pagination: { first: 1, before: "c" } },
    "pagination.before",
    cannotCombine("first", "before"),
  ],
  ["listBalanceChanges", { pagination: { last: 1, after: "c" } }, "pagination.after", cannotCombine("last", "after")],
  [
    "listBalanceChanges",
    { pagination: { after: "b", before: "c" } },
    "pagination.before",
    cannotCombine("after", "before"),
  ],
  ["listNodeSignatures", {}, "id", "a non-empty string, got undefined."],
  [
    "listPartiesProfiles",
    { parties: [] },
    "parties",
    "`parties` of listPartiesProfiles must not be empty; omit it to list all.",
  ],
  ["listPartiesProfiles", { parties: ["a", ""] }, "parties[1]", 'a non-empty string, got "".'],
  ["listPartiesProfiles", { parties: ["a\ud800"] }, "parties[0]", 'well-formed Unicode, got "a\\ud800".'],
  ["listPartiesProfiles", { parties: "a" }, "parties", 'an array, got "a".'],
  [
    "listBalanceChanges",
    { filter: { partyIds: ["a,b"] } },
    "filter.partyIds[0]",
    'one value, without a comma, got "a,b".',
  ],
  [
    "listBalanceChanges",
    { filter: { accountTypes: ["GENERAL"] } },
    "filter.accountTypes[0]",
    'a name such as "ACCOUNT_TYPE_INSURANCE", got "GENERAL".',
  ],
  ...(
    [
      [1707497689123456000, ", got 1707497689123456000."],
      ["2024-02-09T16:54:49Z", `${hint}, got "2024-02-09T16:54:49Z".`],
      [new Date("never"), ", got an invalid Date."],
      [{}, ", got an object."],
      [2n ** 63n, ", got 9223372036854775808n."],
    ] as const
  ).map(([startTimestamp, got]): Refusal => {
    return ["listBalanceChanges", { dateRange: { startTimestamp } }, "dateRange.startTimestamp", time + got];
  }),
  [
    "listBalanceChanges",
    { dateRange: { startTimestamp: 2n, endTimestamp: "1" } },
    "dateRange.endTimestamp",
    'no earlier than `dateRange.startTimestamp`, 2, got "1".',
  ],
  ["getSpamStatistics", {}, "partyId", "a non-empty string, got undefined."],
  ["getSpamStatistics", { partyId: "." }, "partyId", 'an id other than `.` or `..`, got ".".'],
  ["getSpamStatistics", { partyId: ".." }, "partyId", 'an id other than `.` or `..`, got "..".'],
  ["checkTransaction", {}, "tx", "an object, got undefined."],
  ["checkTransaction", { tx: "abc" }, "tx", 'an object, got "abc".'],
  ["checkTransaction", { tx: { pow: { nonce: 5n } } }, "tx.pow.nonce", "a string, got 5n."],
  [
    "checkTransaction",
    { tx: { pow: { nonce: 2 ** 53 } } },
    "tx.pow.nonce",
    "a string or a safe integer, got 9007199254740992.",
  ],
  ["checkTransaction", { transaction: {} }, "transaction", "checkTransaction has no `transaction`. Expected `tx`."],
  ["listVotes", { partyId: "a" }, "maxItems", "a positive integer, got 0.", { maxItems: 0 }],
  ["listVotes", { partyId: "a" }, "readAhead", 'a boolean, got "no".', { readAhead: "no" }],
  ["listVotes", { partyId: "a" }, "signal", "an AbortSignal, got 5.", { signal: 5 }],
];

const cases = refusals.map((refusal) => ({ name: `${refusal[0]}: ${refusal[3]}`, refusal }));

test.each(cases)("an invalid argument is rejected and nothing is sent, $name", async ({ refusal }) => {
  const [method, query, argument, expected, options] = refusal;
  const { client, sent } = connect();
  const used = (client as unknown as Untyped)[method](query, options);
  const isWhole = expected.includes(method) || expected.startsWith("`");
  const message = isWhole ? expected : `Expected \`${argument}\` of ${method} to be ${expected}`;
  await expect(used).rejects.toMatchObject({ name: "ArgumentError", argument, message, attempts: 0 });
  expect(sent).toEqual([]);
});

describe("a transaction with what JSON cannot say is rejected, with its place:", () => {
  const itself: { in?: unknown } = {};
  itself.in = { itself };
  const cyclic: unknown[] = [];
  cyclic.push({ cyclic });
  test.each<[what: string, value: unknown, argument: string, message: string]>([
    ["a Map", new Map([["a", 1]]), "tx.later", "a JSON value, got an object of type Map."],
    ["bytes", new Uint8Array(3), "tx.later", "a JSON value, got an object of type Uint8Array."],
    ["a promise", Promise.resolve(1), "tx.later", "a JSON value, got an object of type Promise."],
    ["undefined in an array", [1, undefined], "tx.later[1]", "a JSON value, got undefined."],
    ["a hole of an array", new Array(2), "tx.later[0]", "a JSON value, got undefined."],
    ["a function in an array", [{ a: [() => {}] }], "tx.later[0].a[0]", "a JSON value, got a function."],
    ["a bigint in an array", [[5n]], "tx.later[0][0]", "a string, got 5n."],
    ["NaN", { a: Number.NaN }, "tx.later.a", "a string or a safe integer, got NaN."],
    ["an object that contains itself", itself, "tx.later.in.itself", "a JSON value, got"],
    ["an array that contains itself", cyclic, "tx.later[0].cyclic", "a JSON value, got"],
  ])("%s", async (_, later, argument, message) => {
    const { client, sent } = connect();
    const error: unknown = await client.checkTransaction({ tx: { later } as never }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "ArgumentError", argument });
    expect((error as Error).message).toContain(`Expected \`${argument}\` of checkTransaction to be ${message}`);
    expect(sent).toEqual([]);
  });

  test.each<[what: string, tx: unknown, message: string]>([
    ["an array", [1], "an object, got an array."],
    ["a Date", new Date(0), "an object, got 1970-01-01T00:00:00.000Z."],
    ["a Map", new Map(), "a JSON value, got an object of type Map."],
  ])("%s instead of it", async (_, tx, message) => {
    const { client } = connect();
    await expect(client.checkTransaction({ tx: tx as never })).rejects.toThrow(
      `Expected \`tx\` of checkTransaction to be ${message}`,
    );
  });
});

describe("a request contains", () => {
  test("no parameter for what is absent, undefined or an empty filter", async () => {
    const { client, sent } = connect();
    await client.listBalanceChanges({
      filter: { assetId: undefined, partyIds: [], marketIds: [], accountTypes: [] },
      dateRange: {},
      pagination: { first: 5, after: undefined },
    });
    expect(sent[0]?.url).toBe("https://node.example/api/v2/balance/changes?pagination.first=5");
  });

  test.each([
    [undefined, "pagination.first=1000"],
    [{ after: "c" }, "pagination.first=1000&pagination.after=c"],
    [{ before: "c" }, "pagination.last=1000&pagination.before=c"],
    [{ newestFirst: true }, "pagination.first=1000&pagination.newestFirst=true"],
    [{ first: 6000 }, "pagination.first=6000"],
  ])("a page size, also with the pagination %j", async (pagination, query) => {
    const { client, sent } = connect();
    await client.listNodeSignatures({ id: "a", pagination });
    expect(sent[0]?.url).toBe(`https://node.example/api/v2/node/signatures?id=a&${query}`);
  });

  test("hexadecimal ids in lower case, as nodes return them, and names and cursors unchanged", async () => {
    const { client, sent } = connect();
    const [upper, lower] = ["AB".repeat(32), "ab".repeat(32)];
    await client.listVotes({ partyId: upper, proposalId: lower, pagination: { after: upper } });
    const filter = { assetId: upper, partyIds: [upper, "network"], marketIds: [upper] };
    await client.listBalanceChanges({ filter });
    await client.scanBalanceChanges({ filter: { ...filter, assetId: "XYZalpha" } }).toArray();
    await client.listPartiesProfiles({ parties: ["VOTE", upper] });
    await client.listNodeSignatures({ id: upper });
    await client.getSpamStatistics({ partyId: upper }).catch(() => {});
    const urls = sent.map(({ url }) => new URL(url));
    expect(urls[0]?.searchParams.get("pagination.after")).toBe(upper);
    urls[0]?.searchParams.delete("pagination.after");
    for (const url of urls) expect(url.href).not.toContain("AB");
    expect(urls[2]?.searchParams.get("filter.assetId")).toBe("XYZalpha");
    const profiles = urls.find(({ pathname }) => pathname.endsWith("profiles"));
    expect(profiles?.searchParams.getAll("parties")).toEqual(["VOTE", lower]);
    expect(urls.at(-1)?.pathname).toBe(`/statistics/spam/${lower}`);
  });

  test("any text that is not hexadecimal unchanged", async () => {
    const text = fc.string({ minLength: 1, unit: "grapheme" }).filter((each) => !/^[0-9a-f]+$/i.test(each));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1 }), text, text, async (parties, after, id) => {
        fc.pre(id !== "." && id !== ".." && !parties.some((party) => party.includes(",")));
        const { client, sent } = connect();
        await client.listPartiesProfiles({ parties, pagination: { after } });
        await client.getSpamStatistics({ partyId: id }).catch(() => {});
        const { searchParams } = new URL(sent[0]?.url ?? "");
        expect(searchParams.getAll("parties")).toEqual(parties);
        expect(searchParams.get("pagination.after")).toBe(after);
        expect(new URL(sent[1]?.url ?? "").pathname).toBe(`/statistics/spam/${encodeURIComponent(id)}`);
      }),
    );
  });

  test("a transaction unchanged", async () => {
    const { client, sent } = connect();
    class Pow {
      nonce = "18446744073709551615";
    }
    const later = { a: [1, null, "ü"], time: new Date(0), absent: undefined, ["__proto__"]: 1 };
    const tx = { pow: new Pow(), version: "TX_VERSION_V9", later };
    await client.checkTransaction({ tx });
    expect(sent[0]?.body).toBe(JSON.stringify({ tx }));
  });
});
