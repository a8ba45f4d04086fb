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
type Untyped = Record<keyof VegaClient, (query?: unknown, options?: unknown) => Use>;
type Use = PromiseLike<unknown> & { toArray?: () => Promise<unknown> };

/** An argument, its invalid member, and what the message says of it after "Expected … of … to be", or as a whole. */
type Refusal = [query: unknown, member: string, message: string, options?: unknown];

const id = { id: "aa" };
const neither = "Expected `partyId` or `proposalId` of listVotes, got neither.";
const text = "a non-empty string, got";
const aType = 'a name such as "ACCOUNT_TYPE_INSURANCE", got';
const anId = 'an id: an even number of hexadecimal digits, or a name such as "network", got';
const paging = "an object with at least one of `first`, `after`, `last`, `before`, `newestFirst`, got 5.";
const members = "an object with at least one of `partyId`, `proposalId`, `pagination`, got";
const time =
  'a time such as "2024-02-09" or "2024-02-09T16:54:49.123Z", a Date, or Unix nanoseconds since 2000 within 64 bits';
const noEarlier = "no earlier than `dateRange.startTimestamp`, 2n, got 1n.";
const instant = {
  epochNanoseconds: 1_707_350_400n * 10n ** 9n,
  [Symbol.toStringTag]: "Temporal.Instant",
  toString: () => "2024-02-08T00:00:00Z",
};
const ofSize = (first: unknown, got = String(first)): Refusal => {
  const message = `an integer from 1 to 2147483647, got ${got}.`;
  return [{ id: "aa", pagination: { first } }, "pagination.first", message];
};
const from = "dateRange.startTimestamp";
const ofTime = (startTimestamp: unknown, got: string): Refusal => [{ dateRange: { startTimestamp } }, from, time + got];
const combined = (pagination: object): Refusal => {
  const [one, other] = Object.keys(pagination);
  const message = `\`pagination.${other}\` of listBalanceChanges cannot be combined with \`pagination.${one}\`.`;
  return [{ pagination }, `pagination.${other}`, message];
};

const itself: { in?: unknown } = {};
itself.in = { itself };
const ownJson = { toJSON: () => ownJson };
/** Arrays in arrays, as JSON.parse returns for a text of brackets. */
const deep = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`);
const selfContained = "a JSON value, which does not contain itself.";
const cyclic: unknown[] = [];
cyclic.push({ cyclic });
/** A transaction with what JSON cannot say in a place, such as `[0].a`. */
const ofJson = (later: unknown, at: string, message: string): Refusal => [{ tx: { later } }, `tx.later${at}`, message];

const refusals: Partial<Record<keyof VegaClient, Refusal[]>> = {
  listVotes: [
    [undefined, "partyId", neither],
    [{ partyId: undefined, proposalId: undefined }, "partyId", neither],
    [{ partyId: "" }, "partyId", `${anId} "".`],
    [{ partyId: null }, "partyId", `${anId} null.`],
    [{ partyId: "abc" }, "partyId", `${anId} "abc".`],
    [{ partyId: "Network" }, "partyId", `${anId} "Network".`],
    [{ partyId: "aa", proposalId: "0xaa" }, "proposalId", `${anId} "0xaa".`],
    [5, "query", `${members} 5.`],
    [null, "query", `${members} null.`],
    [{ proposalID: "b" }, "proposalID", "listVotes has no `proposalID`. Did you mean `proposalId`?"],
    [{ toString: "b" }, "toString", "listVotes has no `toString`. Expected `partyId`, `proposalId`, `pagination`."],
    [{ pagination: { fist: 1 } }, "pagination.fist", "listVotes has no `pagination.fist`. Did you mean `first`?"],
    [{ partyId: "aa", pagination: 5 }, "pagination", paging],
    [{ partyId: "aa" }, "maxItems", "a positive integer, or Infinity, got 0.", { maxItems: 0 }],
    [{ partyId: "aa" }, "readAhead", 'a boolean, got "no".', { readAhead: "no" }],
    [{ partyId: "aa" }, "options", "Expected the options of listVotes to be a plain object, got null.", null],
  ],
  listNodeSignatures: [
    ...[0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, null, 2 ** 31].map((first) => ofSize(first)),
    ofSize("5", '"5"'),
    ofSize(5n, "5n"),
    [{ ...id, pagination: { after: "" } }, "pagination.after", `${text} "".`],
    [{ ...id, pagination: { newestFirst: "yes" } }, "pagination.newestFirst", 'a boolean, got "yes".'],
    [{}, "id", `${anId} undefined.`],
  ],
  listPartiesProfiles: [
    [{ parties: [] }, "parties", "`parties` of listPartiesProfiles must not be empty; omit it to list all."],
    [{ parties: ["aa", ""] }, "parties[1]", `${anId} "".`],
    [{ pagination: { after: "a\ud800" } }, "pagination.after", 'well-formed Unicode, got "a\\ud800".'],
    [{ parties: "aa" }, "parties", 'an array, got "aa".'],
  ],
  listBalanceChanges: [
    ...["partyIds", "marketIds", "accountTypes"].map((name): Refusal => {
      const argument = `filter.${name}`;
      const message = `\`${argument}\` of listBalanceChanges must not be empty; omit it to list all.`;
      return [{ filter: { [name]: [] } }, argument, message];
    }),
    combined({ first: 1, last: 2 }),
    combined({ first: 1, before: "c" }),
    combined({ last: 1, after: "c" }),
    combined({ after: "b", before: "c" }),
    [{ filter: { partyIds: ["aa,bb"] } }, "filter.partyIds[0]", `${anId} "aa,bb".`],
    [{ filter: { accountTypes: ["X"] } }, "filter.accountTypes[0]", `${aType} "X".`],
    ofTime(1_707_400_000n, ", got 1707400000n."),
    ofTime("1707400000000000", ', got "1707400000000000".'),
    ofTime(1707497689123456000, ", got 1707497689123456000."),
    ofTime("2024", ', got "2024".'),
    ofTime("946684799999999999", ', got "946684799999999999".'),
    ofTime("2024-02-30", ', got "2024-02-30".'),
    ofTime(new Date("never"), ", got an invalid Date."),
    ofTime(2n ** 63n, ", got 9223372036854775808n."),
  ],
  scanBalanceChanges: [
    [null, "query", "an object with at least one of `filter`, `dateRange`, got null."],
    [{ dateRange: { startTimestamp: 2n, endTimestamp: 1n } }, "dateRange.endTimestamp", noEarlier],
    [
      { dateRange: { startTimestamp: new Date("2024-02-09"), endTimestamp: instant } },
      "dateRange.endTimestamp",
      "no earlier than `dateRange.startTimestamp`, 2024-02-09T00:00:00.000Z, got 2024-02-08T00:00:00Z.",
    ],
    [{ pagination: {} }, "pagination", "scanBalanceChanges has no `pagination`. Expected `filter`, `dateRange`."],
    [{}, "order", '"oldest-first" or "newest-first", got "oldest".', { order: "oldest" }],
    [{}, "concurrency", "a positive integer, got 0.", { concurrency: 0 }],
    [{}, "pageSize", "a positive integer, got 1.5.", { pageSize: 1.5 }],
    [{}, "maxItems", 'a positive integer, or Infinity, got "all".', { maxItems: "all" }],
    [{}, "missingHistory", '"error" or "ignore", got "skip".', { missingHistory: "skip" }],
  ],
  getSpamStatistics: [
    [null, "query", "an object with `partyId`, got null."],
    [{}, "partyId", `${anId} undefined.`],
    [{ partyId: ".." }, "partyId", `${anId} "..".`],
  ],
  checkTransaction: [
    [{}, "tx", "an object, got undefined."],
    [{ tx: "abc" }, "tx", 'an object, got "abc".'],
    [{ tx: [1] }, "tx", "an object, got an array."],
    [{ tx: new Date(0) }, "tx", "an object, got 1970-01-01T00:00:00.000Z."],
    [{ tx: new Map() }, "tx", "a JSON value, got an object of type Map."],
    [{ transaction: {} }, "transaction", "checkTransaction has no `transaction`. Expected `tx`."],
    ofJson(5n, "", "a string, got 5n."),
    ofJson(2 ** 53, "", "a string or a safe integer, got 9007199254740992."),
    ofJson({ a: Number.NaN }, ".a", "a string or a safe integer, got NaN."),
    ofJson(Promise.resolve(1), "", "a JSON value, got an object of type Promise."),
    ofJson(new Array(2), "[0]", "a JSON value, got undefined."),
    ofJson([{ a: [() => {}] }], "[0].a[0]", "a JSON value, got a function."),
    ofJson(itself, ".in.itself", selfContained),
    ofJson(cyclic, "[0].cyclic", selfContained),
    ofJson(ownJson, "", selfContained),
    ofJson(deep, "[0]".repeat(99), "JSON of at most 100 levels."),
  ],
};

const cases = Object.entries(refusals).flatMap(([method, rows]) =>
  rows.map((refusal) => ({ method: method as keyof VegaClient, expected: refusal[2], refusal })),
);

test.each(cases)("an invalid argument of $method is rejected and nothing is sent: $expected", async (each) => {
  const { method, expected, refusal } = each;
  const [query, argument, , ...options] = refusal;
  const { client, sent } = connect();
  const used = (client as unknown as Untyped)[method](query, ...options);
  const isWhole = expected.includes(method) || expected.startsWith("`");
  const message = isWhole ? expected : `Expected \`${argument}\` of ${method} to be ${expected}`;
  const use = method === "scanBalanceChanges" ? used.toArray?.() : used;
  await expect(use).rejects.toMatchObject({ name: "ArgumentError", argument, message, attempts: 0 });
  expect(sent).toEqual([]);
});

describe("a request contains", () => {
  test("no parameter for what is absent or undefined", async () => {
    const { client, sent } = connect();
    await client.listBalanceChanges({
      filter: { assetId: undefined, partyIds: undefined },
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
    await client.listNodeSignatures({ id: "aa", pagination });
    expect(sent[0]?.url).toBe(`https://node.example/api/v2/node/signatures?id=aa&${query}`);
  });

  test("hexadecimal ids in lower case, as nodes return them, and names and cursors unchanged", async () => {
    const { client, sent } = connect();
    const [upper, lower] = ["AB".repeat(32), "ab".repeat(32)];
    const filter = { assetId: upper, partyIds: [upper, "network"], marketIds: [upper] };
    await client.listVotes({ partyId: upper, proposalId: lower, pagination: { after: "AB" } });
    await client.listBalanceChanges({ filter });
    await client.scanBalanceChanges({ filter: { ...filter, assetId: "XYZalpha" } }).toArray();
    await client.listPartiesProfiles({ parties: ["VOTE", upper] });
    await client.listNodeSignatures({ id: upper });
    await client.getSpamStatistics({ partyId: upper }).catch(() => {});
    const urls = sent.map(({ url }) => url).join("\n");
    expect(urls.match(/AB+/g)).toEqual(["AB"]);
    for (const { url } of sent) expect(url).toContain(lower);
    for (const text of ["pagination.after=AB", "filter.assetId=XYZalpha", "parties=VOTE"]) expect(urls).toContain(text);
  });

  test("any cursor unchanged", async () => {
    const property = fc.asyncProperty(fc.string({ minLength: 1, unit: "grapheme" }), async (after) => {
      const { client, sent } = connect();
      await client.listPartiesProfiles({ pagination: { after } });
      expect(new URL(sent[0]?.url ?? "").searchParams.get("pagination.after")).toBe(after);
    });
    await fc.assert(property);
  });

  test("a transaction unchanged", async () => {
    const { client, sent } = connect();
    const pow = new (class {
      nonce = "18446744073709551615";
    })();
    const later = { a: [1, null, "ü"], time: new Date(0), absent: undefined, ["__proto__"]: 1 };
    const tx = { pow, version: "TX_VERSION_V9", later };
    await client.checkTransaction({ tx });
    expect(sent[0]?.body).toBe(JSON.stringify({ tx }));
  });
});
