/** Hooks of Node.js that hold modules back which the client loads on demand, until a request was sent. */
let port;
let sent;

export function initialize(data) {
  port = data.port;
  sent = new Promise((resolve) => port.once("message", resolve));
}

export async function load(url, context, nextLoad) {
  if (/\/(?:read-pages|paced-attempt)\.js$/.test(url)) await sent;
  port.postMessage(/\/dist\/(.*)$/.exec(url)?.[1] ?? url);
  return nextLoad(url, context);
}
