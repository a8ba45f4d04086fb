import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { BalanceChange, Transaction, Vote } from "vegaprotocol-client";
import { schemas } from "vegaprotocol-client/validate";
import { expectType } from "./setting.js";

/** As a library takes a schema. */
declare function parse<Schema extends StandardSchemaV1>(
  schema: Schema,
  value: StandardSchemaV1.InferInput<Schema>,
): StandardSchemaV1.InferOutput<Schema>;
declare const vote: Vote;
declare const change: BalanceChange;

expectType<Vote>()(parse(schemas.Vote, vote));
expectType<BalanceChange>()(parse(schemas.BalanceChange, change));
expectType<Transaction>()(parse(schemas.Transaction, { pubKey: "a" }));
parse(schemas.TransactionCheckRequest, { tx: { pubKey: "a" } });
// @ts-expect-error: the input has the type of the component
parse(schemas.Vote, change);
// @ts-expect-error: no component has this name
schemas.Votes;
const known: Record<string, StandardSchemaV1> = { ...schemas };
export default known;
