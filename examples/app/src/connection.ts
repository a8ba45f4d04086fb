import { createClient } from "vegaprotocol-client";
import { type Queries, queries } from "vegaprotocol-client/query";

/** The node that the page shows, and ids to begin with. */
export interface Connection {
  /** The address of the node; `undefined` for the fake node. */
  address: string | undefined;
  vega: Queries;
  /** Ids that the fake node has. Those of a real node are entered by the user. */
  proposals: readonly { id: string; name: string }[];
  parties: readonly { id: string; name: string }[];
}

/** Connects to the node of the address `?node=https://…`, or else to a fake node in this page. */
export async function connect(): Promise<Connection> {
  const address = new URLSearchParams(location.search).get("node") || undefined;
  if (address !== undefined) {
    return { address, vega: queries(createClient({ baseUrl: address })), proposals: [], parties: [] };
  }
  // Loaded only if it is needed: a real application does not have it.
  const { createDemo } = await import("./demo-node.js");
  const { fetch, proposals, parties } = createDemo();
  const client = createClient({ baseUrl: "https://fake-node.example", fetch });
  return { address, vega: queries(client), proposals, parties };
}
