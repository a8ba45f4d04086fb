import { describe, expectTypeOf, test } from "vitest";
import type { OperationTypes } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import type {
  BalanceChange,
  ListVotesArguments,
  NanosecondTime,
  SpamStatisticsResponse,
  Vote,
} from "../../src/index.js";
import type { BodyOf, ExactTable, PathOf, QueryOf } from "./operation-table.js";

type Keys<Union> = Union extends unknown ? keyof Union : never;

/** The top-level names of the dotted parameters of a query. */
type Heads<Names> = Names extends `${infer Head}.${string}` ? Head : Names;

describe("the table of operations does not compile", () => {
  const { listVotes, listNodeSignatures, listBalanceChanges, checkTransaction } = operations;
  const { pagination } = listVotes.arguments;

  test("with the path of another operation", () => {
    // @ts-expect-error: the path of listVotes
    ({ ...operations, listNodeSignatures: { ...listNodeSignatures, path: "/api/v2/votes" } }) satisfies ExactTable;
  });

  test("with the method of another operation", () => {
    // @ts-expect-error: a GET
    ({ ...operations, listVotes: { ...listVotes, method: "POST" } }) satisfies ExactTable;
  });

  test("with the envelope of another operation", () => {
    // @ts-expect-error: the envelope of listBalanceChanges
    ({ ...operations, listVotes: { ...listVotes, envelope: "balances" } }) satisfies ExactTable;
  });

  test("with an argument of another kind", () => {
    const startTimestamp = { kind: "boolean", in: "query", name: "dateRange.startTimestamp" } as const;
    const dateRange = {
      kind: "object",
      members: { ...listBalanceChanges.arguments.dateRange.members, startTimestamp },
    } as const;
    const changed = { ...listBalanceChanges, arguments: { ...listBalanceChanges.arguments, dateRange } } as const;
    // @ts-expect-error: a time
    ({ ...operations, listBalanceChanges: changed }) satisfies ExactTable;
  });

  test("with an argument under the name of another parameter", () => {
    const partyId = { kind: "string", in: "query", name: "proposalId" } as const;
    const changed = { ...listVotes, arguments: { ...listVotes.arguments, partyId } } as const;
    // @ts-expect-error: another parameter
    ({ ...operations, listVotes: changed }) satisfies ExactTable;
  });

  test("with an argument in the wrong part of the request", () => {
    const tx = { kind: "json", in: "query", name: "tx", required: true } as const;
    // @ts-expect-error: a member of the body
    ({ ...operations, checkTransaction: { ...checkTransaction, arguments: { tx } } }) satisfies ExactTable;
  });

  test("without a parameter", () => {
    // @ts-expect-error: the ids are missing
    ({ ...operations, listVotes: { ...listVotes, arguments: { pagination } } }) satisfies ExactTable;
  });

  test("with a range of parameters that do not exist", () => {
    const range = { start: "dateRange.start", end: "dateRange.end" } as const;
    // @ts-expect-error: no such parameters
    ({ ...operations, listBalanceChanges: { ...listBalanceChanges, range } }) satisfies ExactTable;
  });

  test("with a natural key of another record", () => {
    const changed = { ...listNodeSignatures, naturalKey: ["partyId"] } as const;
    // @ts-expect-error: a signature has no party
    ({ ...operations, listNodeSignatures: changed }) satisfies ExactTable;
  });

  test("without an operation", () => {
    const { listVotes: _, ...others } = operations;
    // @ts-expect-error: listVotes is missing
    others satisfies ExactTable;
  });

  test("unless nothing is changed", () => {
    operations satisfies ExactTable;
  });
});

describe("the types of an operation", () => {
  test("have the names of the description's parameters as the members of an argument", () => {
    type Arguments<Id extends keyof OperationTypes> = Keys<OperationTypes[Id]["arguments"]>;
    expectTypeOf<Arguments<"listVotes">>().toEqualTypeOf<Heads<keyof QueryOf<"listVotes">>>();
    expectTypeOf<Arguments<"listPartiesProfiles">>().toEqualTypeOf<Heads<keyof QueryOf<"listPartiesProfiles">>>();
    expectTypeOf<Arguments<"listBalanceChanges">>().toEqualTypeOf<Heads<keyof QueryOf<"listBalanceChanges">>>();
    expectTypeOf<Arguments<"listNodeSignatures">>().toEqualTypeOf<Heads<keyof QueryOf<"listNodeSignatures">>>();
    expectTypeOf<Arguments<"getSpamStatistics">>().toEqualTypeOf<"partyId">();
    expectTypeOf<Arguments<"checkTransaction">>().toEqualTypeOf<"tx">();
  });

  test("belong together", () => {
    expectTypeOf<PathOf<"listVotes">>().toEqualTypeOf<"/api/v2/votes">();
    expectTypeOf<PathOf<"checkTransaction">>().toEqualTypeOf<"/transaction/check">();
    expectTypeOf<OperationTypes["listVotes"]["record"]>().toEqualTypeOf<Vote>();
    expectTypeOf<OperationTypes["listBalanceChanges"]["record"]>().toEqualTypeOf<BalanceChange>();
    expectTypeOf<OperationTypes["getSpamStatistics"]["body"]>().toEqualTypeOf<SpamStatisticsResponse>();
    expectTypeOf<keyof BodyOf<"listVotes">>().toEqualTypeOf<"votes">();
  });

  test("keep at least one id, one direction, and times", () => {
    type Votes = OperationTypes["listVotes"]["arguments"];
    type Changes = OperationTypes["listBalanceChanges"]["arguments"];
    expectTypeOf<Votes>().toEqualTypeOf<ListVotesArguments>();
    expectTypeOf<{ partyId: string }>().toExtend<Votes>();
    expectTypeOf<{ proposalId: string }>().toExtend<Votes>();
    expectTypeOf<{ pagination: { first: number } }>().not.toExtend<Votes>();
    expectTypeOf<{ partyId: string; pagination: { first: number; before: string } }>().not.toExtend<Votes>();
    expectTypeOf<NonNullable<Changes["dateRange"]>>().toEqualTypeOf<{
      startTimestamp?: NanosecondTime | undefined;
      endTimestamp?: NanosecondTime | undefined;
    }>();
    type Types = NonNullable<NonNullable<Changes["filter"]>["accountTypes"]>;
    expectTypeOf<"ACCOUNT_TYPE_GENERAL" | "ACCOUNT_TYPE_OF_A_NEWER_NODE">().toExtend<Types[number]>();
    expectTypeOf<"GENERAL">().not.toExtend<Types[number]>();
  });
});
