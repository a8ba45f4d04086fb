/**
 * Loads what the client loads on demand: a manual clock does not wait for files, and the first call of a program is sent differently
 * from those after it.
 */
import { withLog } from "../../src/http/log-level.js";
import { createClient } from "../../src/index.js";
import { nodePool } from "../../src/pool/index.js";
import { createFakeNode } from "../../src/testing/index.js";

const { fetch } = createFakeNode();
const client = createClient({
  baseUrl: "https://loaded.example",
  fetch,
  observe: withLog(undefined, "debug", () => {}),
});
/** So many ids take several requests. */
const partyIds = Array.from({ length: 200 }, (_, index) => index.toString(16).padStart(64, "0"));
await client.listPartiesProfiles({ parties: partyIds });
await client.scanBalanceChanges({ filter: { partyIds } }).toArray();
await client.http.GET("/api/v2/votes", {});
await createClient({ baseUrl: nodePool(["https://loaded.example"]), fetch }).listPartiesProfiles();
