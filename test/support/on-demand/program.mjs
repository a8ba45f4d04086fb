/**
 * Prints the records of a loop or a call, and the code that was loaded on demand for them, as JSON. That code can be missing, or take for
 * ever to load, until the signal is aborted.
 */
const [, , client, testing, method = "", load] = process.argv;
/** @type {string[]} */
const loaded = [];
const controller = new AbortController();
Object.assign(globalThis, {
  loaded,
  load: async () => {
    if (load === "fails") throw new TypeError("not found");
    if (load !== "hangs") return;
    setImmediate(() => controller.abort());
    await new Promise(() => {});
  },
});

const { createClient } = await import(/** @type {string} */ (client));
const { createFakeNode } = await import(/** @type {string} */ (testing));
const { signal } = controller;
const vega = createClient({ baseUrl: "https://node.example", fetch: createFakeNode().fetch });
const use = {
  call: () => vega.getSpamStatistics({ partyId: "0".repeat(64) }, { signal }),
  loop: () => vega.listBalanceChanges({}, { signal }).toArray(),
  page: () => vega.listBalanceChanges({}, { signal }),
  scan: () => vega.scanBalanceChanges({}, { signal }).toArray(),
};
try {
  const result = await use[/** @type {keyof typeof use} */ (method)]();
  const records = Array.isArray(result) ? result.length : (result.nodes?.length ?? 0);
  console.log(JSON.stringify({ records, loaded }));
} catch (error) {
  const { name, message } = /** @type {Error} */ (error);
  console.log(JSON.stringify({ loaded, error: { name, message } }));
}
