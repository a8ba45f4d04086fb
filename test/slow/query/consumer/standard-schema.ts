import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Transaction, Vote } from "vegaprotocol-client";
import { schemas } from "vegaprotocol-client/validate";
import { expectType } from "./setting.js";

/** As a library takes a schema. */
declare function parse<Schema extends StandardSchemaV1>(
  schema: Schema,
  value: StandardSchemaV1.InferInput<Schema>,
): StandardSchemaV1.InferOutput<Schema>;
declare const vote: Vote;

expectType<Vote>()(parse(schemas.Vote, vote));
expectType<Transaction>()(parse(schemas.Transaction, { pubKey: "a" }));
// @ts-expect-error: the input has the type of the component
parse(schemas.BalanceChange, vote);
