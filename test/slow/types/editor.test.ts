import { expect, test } from "vitest";
import { accountTypes } from "../../../src/index.js";
import { description, operation, operations } from "../../support/description.js";
import { openEditor } from "./editor.js";

const { parameters, schemas } = description.components;
const flat = (text: string) => text.replace(/\s+/g, " ").trim();
/** Parts of types that a reader cannot understand. */
const internals = /components\[|operations\[|paths\[|Readable<|FetchOptions|\.\.\. \d+ more/;

/** A program with a mark, and what an editor shows there. */
type Hover = [what: string, program: string, words: (string | undefined)[], text?: RegExp];

const methods = operations.map(
  ({ operationId: id, description: words }): Hover => [
    `the method ${id}`,
    `client.⟦${id}⟧`,
    [words.split(/[.,:]/)[0], "@example"],
    // The types have names that can be looked up.
    new RegExp(
      `^\\(method\\) OperationMethods\\.${id}\\(\\w+\\??: vega\\.\\w+Arguments, options\\?: vega\\.\\w+Options\\): vega\\.`,
    ),
  ],
);

const ofParameter = (id: string, name: string) =>
  operation(id)
    .parameters?.map((each) => (each.$ref ? parameters[each.$ref.split("/").at(-1) ?? ""] : each))
    .find((each) => each?.name === name)?.description;
const members = [
  ["listVotes", "proposalId", '{ partyId: "aa", ⟦proposalId⟧: "b" }'],
  ["listVotes", "pagination.before", '{ partyId: "aa", pagination: { ⟦before⟧: "" } }'],
  ["listPartiesProfiles", "parties", '{ ⟦parties⟧: ["a"] }'],
  ["getSpamStatistics", "partyId", '{ ⟦partyId⟧: "a" }'],
  ["listBalanceChanges", "filter.accountTypes", "{ filter: { ⟦accountTypes⟧: [] } }"],
  ["listBalanceChanges", "dateRange.startTimestamp", "{ dateRange: { ⟦startTimestamp⟧: 1n } }"],
].map(([id = "", name = "", argument]): Hover => {
  return [`${name} of ${id}`, `client.${id}(${argument});`, [ofParameter(id, name)]];
});

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

const options = (call: string, name: string) => `client.${call}, { ⟦${name}⟧: undefined });`;
const others: Hover[] = [
  ["an option of a walk", options('listNodeSignatures({ id: "aa" }', "readAhead"), ["Default: `true`."]],
  ["an option of a call", options('listNodeSignatures({ id: "aa" }', "signal"), ["Aborts the call"]],
  ["an option of a scan", options("scanBalanceChanges({}", "order"), ['Default: `"oldest-first"`.']],
  ["a listing", "type T = vega.⟦Listing⟧<vega.Vote>;", ["yields every record"]],
  ["an enumeration", "type T = vega.⟦AccountType⟧;", ["`ACCOUNT_TYPE_BOND`: Commitments of liquidity"], /^type Acc/],
];

const hovers = [...methods, ...members, ...records, ...others];
const paging = ["first", "after", "last", "before", "newestFirst"];
const completions: [what: string, program: string, names: readonly string[]][] = [
  ["the members of pagination", 'client.listVotes({ partyId: "aa", pagination: { ⟦⟧ } });', paging],
  ["the names of an enumeration", 'client.listBalanceChanges({ filter: { accountTypes: ["⟦⟧"] } });', accountTypes],
  ["names to compare with", 'declare const vote: vega.Vote;\nvote.value === "⟦⟧";', ["VALUE_YES", "VALUE_NO"]],
  ["the methods of a client", "client.⟦⟧", operations.map(({ operationId }) => operationId)],
];
const shown = openEditor([...hovers, ...completions].map(([, program]) => program));

const hovered = hovers.map(([what, , words, text], index) => ({ what, words, text, hover: shown[index] }));
test.each(hovered)(
  "hovering over $what shows a readable type and the description's words",
  ({ words, text, hover }) => {
    if (text) expect(hover?.text).toMatch(text);
    else expect(hover?.text).not.toMatch(internals);
    for (const each of words) expect(flat(hover?.documentation ?? "")).toContain(flat(each ?? ""));
  },
);

const completed = completions.map(([what, , names], index) => ({ what, names, place: shown[hovers.length + index] }));
test.each(completed)("completion offers $what", ({ names, place }) => {
  expect(place?.completions()).toEqual(expect.arrayContaining([...names]));
});
