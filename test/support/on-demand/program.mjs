/**
 * Prints the records of a loop or a call, and the code that was loaded on demand for them, as JSON. What a call or a loop needs at once
 * is held back until a request was sent.
 */
const [, , client, testing, method = ""] = process.argv;
/** @type {string[]} */
const loaded = [];
/** @type {(value?: unknown) => void} */
let send = () => {};
Object.assign(globalThis, { loaded, sent: new Promise((resolve) => (send = resolve)) });

const { createClient } = await import(/** @type {string} */ (client));
const { createFakeNode } = await import(/** @type {string} */ (testing));
const node = createFakeNode();
const vega = createClient({
  baseUrl: "https://node.example",
  /** @param {Request} request */
  fetch: (request) => {
    send();
    return node.fetch(request);
  },
});
const use = {
  call: () => vega.getSpamStatistics({ partyId: "0".repeat(64) }),
  loop: () => vega.listBalanceChanges().toArray(),
  page: () => vega.listBalanceChanges(),
  scan: () => vega.scanBalanceChanges().toArray(),
};
const result = await use[/** @type {keyof typeof use} */ (method)]();
const records = Array.isArray(result) ? result.length : (result.nodes?.length ?? 0);
console.log(JSON.stringify({ records, loaded }));
