/** Prints the records of a loop or a call, and the modules of the package that were loaded for them, as JSON. */
import { register } from "node:module";
import { MessageChannel } from "node:worker_threads";

const { port1, port2 } = new MessageChannel();
register("./hooks.mjs", import.meta.url, { data: { port: port2 }, transferList: [port2] });
/** @type {string[]} */
const modules = [];
port1.on("message", (module) => modules.push(module));

const dist = new URL("../../../dist/src/", import.meta.url);
const { createClient } = await import(new URL("index.js", dist).href);
const { createFakeNode } = await import(new URL("testing/index.js", dist).href);
const node = createFakeNode();
const client = createClient({
  baseUrl: "https://node.example",
  /** @param {Request} request */
  fetch: (request) => {
    port1.postMessage("sent");
    return node.fetch(request);
  },
});
const method = /** @type {"call" | "loop" | "page" | "scan"} */ (process.argv[2]);
const id = "0".repeat(64);
const use = {
  call: () => client.getSpamStatistics({ partyId: id }),
  loop: () => client.listBalanceChanges().toArray(),
  page: () => client.listBalanceChanges(),
  scan: () => client.scanBalanceChanges().toArray(),
};
const result = await use[method]();
const records = Array.isArray(result) ? result.length : (result.nodes?.length ?? 0);
// The hooks send the names of modules in order: after this one, all are there.
const last = "data:text/javascript,";
const ended = new Promise((resolve) => port1.on("message", (module) => module === last && resolve(undefined)));
await import(last);
await ended;
port1.close();
console.log(JSON.stringify({ records, modules }));
