import { describe, expect, test } from "vitest";
import { accountTypes } from "../../src/index.js";
import { description, operation, operations } from "../support/description.js";
import { Editor } from "../support/editor.js";

const editor = new Editor();
const { parameters, schemas } = description.components;
const flat = (text: string | undefined) => (text ?? "").replace(/\s+/g, " ").trim();
/** Parts of types that a reader cannot understand. */
const internals = /components\[|operations\[|paths\[|Readable<|FetchOptions|\.\.\. \d+ more/;

describe("hovering over a method", () => {
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

  test.each(operations.map(({ operationId }) => operationId))("%s shows names and the description's words", (id) => {
    const { text, documentation } = editor.hover(`client.⟦${id}⟧`);
    expect(text).toBe(`(method) OperationMethods.${id}${signatures[id]}`);
    const [firstWords = ""] = operation(id).description.split(/[.,:]/);
    expect(documentation).toContain(firstWords);
    expect(documentation).toContain("@example");
  });
});

describe("hovering over an argument", () => {
  const parameter = (id: string, name: string) =>
    operation(id)
      .parameters?.map((each) => (each.$ref ? parameters[each.$ref.split("/").at(-1) ?? ""] : each))
      .find((each) => each?.name === name)?.description;

  test.each([
    ["listVotes", "partyId", 'client.listVotes({ ⟦partyId⟧: "a" });'],
    ["listVotes", "proposalId", 'client.listVotes({ ⟦proposalId⟧: "a" });'],
    ["listVotes", "proposalId", 'client.listVotes({ partyId: "a", ⟦proposalId⟧: "b" });'],
    ["listVotes", "pagination.first", 'client.listVotes({ partyId: "a", pagination: { ⟦first⟧: 1 } });'],
    ["listVotes", "pagination.before", 'client.listVotes({ partyId: "a", pagination: { ⟦before⟧: "" } });'],
    ["listPartiesProfiles", "parties", 'client.listPartiesProfiles({ ⟦parties⟧: ["a"] });'],
    ["getSpamStatistics", "partyId", 'client.getSpamStatistics({ ⟦partyId⟧: "a" });'],
    ["listBalanceChanges", "filter.accountTypes", "client.listBalanceChanges({ filter: { ⟦accountTypes⟧: [] } });"],
    [
      "listBalanceChanges",
      "dateRange.startTimestamp",
      "client.listBalanceChanges({ dateRange: { ⟦startTimestamp⟧: 1n } });",
    ],
    ["listNodeSignatures", "id", 'client.listNodeSignatures({ ⟦id⟧: "a" });'],
  ])("of %s, %s, shows the description's words", (id, name, program) => {
    const { text, documentation } = editor.hover(program);
    expect(flat(documentation)).toContain(flat(parameter(id, name)));
    expect(text).not.toMatch(internals);
  });

  test("shows readable types of filters and times", () => {
    expect(editor.hover("client.listBalanceChanges({ filter: { ⟦accountTypes⟧: [] } });").text).toBe(
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the text of a type.
      "(property) BalanceChangesFilter.accountTypes?: readonly (vega.AccountType | (`ACCOUNT_TYPE_${string}` & {}))[] | undefined",
    );
    expect(editor.hover("client.listBalanceChanges({ dateRange: { ⟦startTimestamp⟧: 1n } });").text).toBe(
      "(property) BalanceChangesDateRange.startTimestamp?: vega.NanosecondTime | undefined",
    );
    const range = editor.hover("client.scanBalanceChanges({ ⟦dateRange⟧: {} });");
    expect(range.text).toMatch(/dateRange\?: vega\.BalanceChangesDateRange \| undefined$/);
    expect(range.documentation).toContain("The time range to list");
  });
});

describe("hovering over a member of a record", () => {
  const records = [
    "Vote",
    "PartyProfile",
    "BalanceChange",
    "NodeSignature",
    "SpamStatistics",
    "SpamCounter",
    "ProofOfWorkBlockState",
    "RefusedTransactionCheck",
    "Transaction",
    "ErrorBody",
  ];
  const members = records.flatMap((record) =>
    Object.entries(schemas[record]?.properties ?? {}).map(
      ([name, { description }]) => [record, name, description] as const,
    ),
  );

  test.each(members)("%s.%s shows the description's words", (record, name, words) => {
    const { text, documentation } = editor.hover(`declare const record: vega.${record};\nrecord.⟦${name}⟧;`);
    expect(text).toContain(`${record}.${name}`);
    expect(text).not.toMatch(internals);
    if (words !== undefined) expect(flat(documentation)).toContain(flat(words));
  });

  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the text of a type.
  const digits = "`${bigint}`";
  test("shows readable types of numbers of 64 bits and open enumerations", () => {
    const hover = (program: string) => editor.hover(program).text;
    expect(hover("declare const vote: vega.Vote;\nvote.⟦timestamp⟧")).toBe(`(property) Vote.timestamp: ${digits}`);
    expect(hover("declare const change: vega.BalanceChange;\nchange.⟦accountType⟧")).toBe(
      "(property) BalanceChange.accountType?: number | vega.AccountType | (string & {}) | undefined",
    );
  });

  test("shows the meaning of the names of an enumeration", () => {
    const { documentation } = editor.hover("type T = vega.⟦AccountType⟧;");
    expect(documentation).toContain("`ACCOUNT_TYPE_BOND`: Commitments of liquidity providers.");
  });
});

describe("hovering over an option", () => {
  test.each([
    ["maxItems", "How many records to read at most"],
    ["readAhead", "@default true"],
    ["signal", "Aborts the call"],
    ["headers", "Headers of this call"],
  ])("%s shows its documentation", (name, words) => {
    const { text, documentation } = editor.hover(`client.listNodeSignatures({ id: "a" }, { ⟦${name}⟧: undefined });`);
    expect(documentation).toContain(words);
    expect(text).not.toMatch(internals);
  });

  test.each([
    ["order", '@default "oldest-first"'],
    ["concurrency", "@default 4"],
    ["pageSize", "@default 5000"],
    ["maxItems", "How many records to yield at most"],
  ])("%s of a scan shows its documentation", (name, words) => {
    const { text, documentation } = editor.hover(`client.scanBalanceChanges({}, { ⟦${name}⟧: undefined });`);
    expect(documentation).toContain(words);
    expect(text).not.toMatch(internals);
  });

  test("shows the guarantees of a walk if a method returns a listing", () => {
    expect(editor.hover("type T = vega.⟦Listing⟧<vega.Vote>;").documentation.replace(/\s+/g, " ")).toContain(
      "yields every record",
    );
  });
});

describe("completion", () => {
  test("offers the arguments of a call", () => {
    expect(editor.completions("client.listVotes({ ⟦⟧ });")).toEqual(
      expect.arrayContaining(["partyId", "proposalId", "pagination"]),
    );
    expect(editor.completions('client.listVotes({ partyId: "a", pagination: { ⟦⟧ } });')).toEqual(
      expect.arrayContaining(["first", "after", "last", "before", "newestFirst"]),
    );
    expect(editor.completions("client.listBalanceChanges({ dateRange: { ⟦⟧ } });")).toEqual(
      expect.arrayContaining(["startTimestamp", "endTimestamp"]),
    );
  });

  test("offers the names of an enumeration, in a filter and in a comparison with a member of a response", () => {
    expect(editor.completions('client.listBalanceChanges({ filter: { accountTypes: ["⟦⟧"] } });').sort()).toEqual(
      [...accountTypes].sort(),
    );
    expect(editor.completions('declare const vote: vega.Vote;\nvote.value === "⟦⟧";')).toEqual(
      expect.arrayContaining(["VALUE_YES", "VALUE_NO"]),
    );
  });

  test("offers the methods of a client", () => {
    expect(editor.completions("client.⟦⟧")).toEqual(
      expect.arrayContaining([...operations.map(({ operationId }) => operationId), "http"]),
    );
  });
});
