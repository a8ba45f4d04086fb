import { describe, expect, test } from "vitest";
import { accountTypes } from "../../src/index.js";
import { description, operation, operations } from "../support/description.js";
import { Editor } from "../support/editor.js";

const editor = new Editor();
const { parameters, schemas } = description.components;
const flat = (text: string) => text.replace(/\s+/g, " ").trim();
/** Parts of types that a reader cannot understand. */
const internals = /components\[|operations\[|paths\[|Readable<|FetchOptions|\.\.\. \d+ more/;

/** A program with a mark, and what an editor shows there. */
type Hover = [what: string, program: string, words: (string | undefined)[], text?: string | RegExp];

const signatures: Record<string, string> = {
  listVotes: "(query: vega.ListVotesArguments, options?: vega.ListingOptions): vega.Listing<vega.Vote>",
  listPartiesProfiles:
    "(query?: vega.ListPartiesProfilesArguments, options?: vega.ListingOptions): vega.Listing<vega.PartyProfile>",
  getSpamStatistics:
    "(query: vega.GetSpamStatisticsArguments, options?: vega.CallOptions): vega.Call<vega.SpamStatisticsResponse>",
  listBalanceChanges:
    "(query?: vega.ListBalanceChangesArguments, options?: vega.ListingOptions): vega.Listing<vega.BalanceChange>",
  listNodeSignatures:
    "(query: vega.ListNodeSignaturesArguments, options?: vega.ListingOptions): vega.Listing<vega.NodeSignature>",
  checkTransaction:
    "(request: vega.CheckTransactionArguments, options?: vega.CallOptions): vega.Call<vega.TransactionCheckResult>",
};
const methods = operations.map(
  ({ operationId: id, description: words }): Hover => [
    `the method ${id}`,
    `client.⟦${id}⟧`,
    [words.split(/[.,:]/)[0], "@example"],
    `(method) OperationMethods.${id}${signatures[id]}`,
  ],
);

const ofParameter = (id: string, name: string) =>
  operation(id)
    .parameters?.map((each) => (each.$ref ? parameters[each.$ref.split("/").at(-1) ?? ""] : each))
    .find((each) => each?.name === name)?.description;
const members = [
  ["listVotes", "partyId", '{ ⟦partyId⟧: "a" }'],
  ["listVotes", "proposalId", '{ partyId: "a", ⟦proposalId⟧: "b" }'],
  ["listVotes", "pagination.first", '{ partyId: "a", pagination: { ⟦first⟧: 1 } }'],
  ["listVotes", "pagination.before", '{ partyId: "a", pagination: { ⟦before⟧: "" } }'],
  ["listPartiesProfiles", "parties", '{ ⟦parties⟧: ["a"] }'],
  ["getSpamStatistics", "partyId", '{ ⟦partyId⟧: "a" }'],
  ["listBalanceChanges", "filter.accountTypes", "{ filter: { ⟦accountTypes⟧: [] } }"],
  ["listBalanceChanges", "dateRange.startTimestamp", "{ dateRange: { ⟦startTimestamp⟧: 1n } }"],
  ["listNodeSignatures", "id", '{ ⟦id⟧: "a" }'],
].map(
  ([id = "", name = "", argument]): Hover => [
    `${name} of ${id}`,
    `client.${id}(${argument});`,
    [ofParameter(id, name)],
  ],
);

const records = Object.entries({
  Vote: "vega.Vote",
  PartyProfile: "vega.PartyProfile",
  BalanceChange: "vega.BalanceChange",
  NodeSignature: "vega.NodeSignature",
  SpamStatistics: "vega.SpamStatistics",
  SpamCounter: 'NonNullable<vega.SpamStatistics["proposals"]>',
  RefusedTransactionCheck: "Extract<vega.TransactionCheckResult, { success: false }>",
  Transaction: "vega.Transaction",
  ErrorBody: "vega.ErrorBody",
}).flatMap(([record, type]) =>
  Object.entries(schemas[record]?.properties ?? {}).map(([name, property]): Hover => {
    const program = `declare const record: ${type};\nrecord.⟦${name}⟧;`;
    return [`${record}.${name}`, program, [property.description]];
  }),
);

const walkOptions = (name: string) => `client.listNodeSignatures({ id: "a" }, { ⟦${name}⟧: undefined });`;
const scanOptions = (name: string) => `client.scanBalanceChanges({}, { ⟦${name}⟧: undefined });`;
const others: Hover[] = [
  ["maxItems of a walk", walkOptions("maxItems"), ["How many records to read at most"]],
  ["readAhead", walkOptions("readAhead"), ["@default true"]],
  ["signal", walkOptions("signal"), ["Aborts the call"]],
  ["headers", walkOptions("headers"), ["Headers of this call"]],
  ["order", scanOptions("order"), ['@default "oldest-first"']],
  ["concurrency", scanOptions("concurrency"), ["@default 4"]],
  ["pageSize", scanOptions("pageSize"), ["@default 5000"]],
  ["maxItems of a scan", scanOptions("maxItems"), ["How many records to yield at most"]],
  ["a listing", "type T = vega.⟦Listing⟧<vega.Vote>;", ["yields every record"]],
  ["an enumeration", "type T = vega.⟦AccountType⟧;", ["`ACCOUNT_TYPE_BOND`: Commitments of liquidity"], /^type Acc/],
  [
    "the type of a filter",
    "client.listBalanceChanges({ filter: { ⟦accountTypes⟧: [] } });",
    [],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the text of a type.
    "(property) BalanceChangesFilter.accountTypes?: readonly (vega.AccountType | (`ACCOUNT_TYPE_${string}` & {}))[] | undefined",
  ],
  [
    "the type of a time",
    "client.listBalanceChanges({ dateRange: { ⟦startTimestamp⟧: 1n } });",
    [],
    "(property) BalanceChangesDateRange.startTimestamp?: vega.NanosecondTime | undefined",
  ],
  [
    "the range of a scan",
    "client.scanBalanceChanges({ ⟦dateRange⟧: {} });",
    ["The time range to list"],
    /dateRange\?: vega\.BalanceChangesDateRange \| undefined$/,
  ],
  [
    "a number of 64 bits",
    "declare const vote: vega.Vote;\nvote.⟦timestamp⟧",
    [],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the text of a type.
    "(property) Vote.timestamp: `${bigint}`",
  ],
  [
    "an open enumeration",
    "declare const change: vega.BalanceChange;\nchange.⟦accountType⟧",
    [],
    "(property) BalanceChange.accountType?: number | vega.AccountType | (string & {}) | undefined",
  ],
];

const hovers = [...methods, ...members, ...records, ...others];
const shown = editor.hovers(hovers.map(([, program]) => program));

test.each(hovers.map(([what, , words, text], index) => ({ what, words, text, hover: shown[index] })))(
  "hovering over $what shows a readable type and the description's words",
  ({ words, text: expected, hover }) => {
    if (typeof expected === "string") expect(hover?.text).toBe(expected);
    else if (expected) expect(hover?.text).toMatch(expected);
    else expect(hover?.text).not.toMatch(internals);
    for (const each of words) expect(flat(hover?.documentation ?? "")).toContain(flat(each ?? ""));
  },
);

describe("completion offers", () => {
  test.each([
    ["the arguments of a call", "client.listVotes({ ⟦⟧ });", ["partyId", "proposalId", "pagination"]],
    [
      "the members of pagination",
      'client.listVotes({ partyId: "a", pagination: { ⟦⟧ } });',
      ["first", "after", "last", "before", "newestFirst"],
    ],
    ["the ends of a range", "client.listBalanceChanges({ dateRange: { ⟦⟧ } });", ["startTimestamp", "endTimestamp"]],
    ["the names of an enumeration", 'client.listBalanceChanges({ filter: { accountTypes: ["⟦⟧"] } });', accountTypes],
    ["names to compare with", 'declare const vote: vega.Vote;\nvote.value === "⟦⟧";', ["VALUE_YES", "VALUE_NO"]],
    ["the methods of a client", "client.⟦⟧", [...Object.keys(signatures), "http"]],
  ])("%s", (_, program, names) => {
    expect(editor.completions(program)).toEqual(expect.arrayContaining([...names]));
  });
});
