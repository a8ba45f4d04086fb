// What the compiler rejects after the description was changed.
import type { VegaClient, Vote } from "vegaprotocol-client";
import { createFakeNode } from "vegaprotocol-client/testing";

export function misuse(client: VegaClient, vote: Vote): unknown[] {
  return [
    client.listVotes({ proposalId: "a", value: "VALUE_YES" }),
    // @ts-expect-error: not a name of a value.
    client.listVotes({ proposalId: "a", value: "yes" }),
    client.listAssets({ filter: { ids: ["a"] } }),
    // @ts-expect-error: an array.
    client.listAssets({ filter: { ids: "a" } }),
    // @ts-expect-error: a misspelled name.
    client.listAssets({ filter: { id: ["a"] } }),
    // @ts-expect-error: forward and backward pagination cannot be combined.
    client.listAssets({ pagination: { first: 1, last: 1 } }),
    // @ts-expect-error: required.
    client.getAsset({}),
    vote.reason?.length,
    // @ts-expect-error: the member can be missing.
    vote.reason.length,
    createFakeNode({ assets: [{ id: "a", symbol: "A", decimals: 6 }] }).records.assets[0]?.symbol,
    // @ts-expect-error: a record lacks members.
    createFakeNode({ assets: [{ id: "a" }] }),
    // @ts-expect-error: these records cannot be generated.
    createFakeNode({ assets: 5 }),
    // @ts-expect-error: not an operation.
    createFakeNode({}, { faults: [{ name: "reset", operation: "listOrders" }] }),
  ];
}
