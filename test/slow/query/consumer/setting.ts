import { createClient, type Transaction } from "vegaprotocol-client";
import { queries } from "vegaprotocol-client/query";

export const client = createClient({ baseUrl: "https://node.example" });
export const vega = queries(client);
export declare const partyId: string;
export declare const proposalId: string;
export declare const id: string;
export declare const tx: Transaction;

/** Compiles only if both types are the same. */
export function expectType<Expected>() {
  return <Actual>(_value: Actual, ..._same: Same<Expected, Actual> extends true ? [] : [never]): void => {};
}

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
