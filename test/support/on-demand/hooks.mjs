/** Hooks of Node.js that hold modules back which the client loads on demand, until a request was sent. */

/** @type {import("node:worker_threads").MessagePort} */
let port;
/** @type {Promise<unknown>} */
let sent;

/** @type {import("node:module").InitializeHook<{ port: import("node:worker_threads").MessagePort }>} */
export function initialize(data) {
  port = data.port;
  sent = new Promise((resolve) => port.once("message", resolve));
}

/** @type {import("node:module").LoadHook} */
export async function load(url, context, nextLoad) {
  if (/\/(?:read-pages|paced-attempt)\.js$/.test(url)) await sent;
  port.postMessage(/\/dist\/(.*)$/.exec(url)?.[1] ?? url);
  return nextLoad(url, context);
}
