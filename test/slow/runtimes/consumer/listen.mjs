// What runtimes with `node:http` are tried with in addition: a fake node that this process serves.
import { createClient } from "vegaprotocol-client";
import { createFakeNode } from "vegaprotocol-client/testing";
import { listen } from "vegaprotocol-client/testing/node";

function check(condition, message) {
  if (!condition) throw new Error(message);
}

/** Whether a promise rejects. */
const rejects = (promise) =>
  promise.then(
    () => false,
    () => true,
  );

const tests = {
  "serves a fake node over HTTP": async (node, url) => {
    const { nodes } = await createClient({ baseUrl: url }).listPartiesProfiles({ pagination: { first: 3 } });
    check(nodes.length === 3, `Expected three profiles, got ${nodes.length}.`);
    const response = await fetch(`${url}/api/v2/votes`, { headers: { Origin: "https://page.example" } });
    check(response.headers.get("access-control-allow-origin") === "https://page.example", "Expected CORS headers.");
    check((await response.json()).code === 3, "Expected the error of a node.");
    check(node.requests.length === 2, `Expected two requests, got ${node.requests.length}.`);
  },
  "closes the connection for a fault, and for a client that disconnects": async (node, url) => {
    node.configure({ faults: [{ name: "reset" }] });
    check(await rejects(fetch(`${url}/api/v2/votes`)), "Expected a reset connection.");
    node.configure({ faults: [{ name: "truncated-body" }] });
    const response = await fetch(`${url}/api/v2/parties/profiles`);
    check(await rejects(response.text()), "Expected an incomplete body.");
    node.configure({ faults: [{ name: "latency", milliseconds: Number.POSITIVE_INFINITY }] });
    check(await rejects(fetch(url, { signal: AbortSignal.timeout(50) })), "Expected an abort.");
  },
  "reports a port that is in use": async (node, url) => {
    const error = await listen(node, { port: Number(new URL(url).port) }).catch((reason) => reason);
    check(/^Cannot listen on port .*in use/i.test(error.message), `Expected a clear error, got ${error.message}`);
  },
};

/** Runs all of it, each test with a server of its own. */
export async function run() {
  const results = [];
  for (const [name, test] of Object.entries(tests)) {
    const node = createFakeNode({ profiles: 50 });
    const server = await listen(node);
    try {
      await test(node, server.url);
      results.push({ name, error: null });
    } catch (error) {
      results.push({ name, error: String(error) });
    }
    await server[Symbol.asyncDispose]();
  }
  return results;
}
