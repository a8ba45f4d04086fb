import type { ObserverEvent } from "vegaprotocol-client";
import { expect, test } from "vitest";
import { createFetch, explainFailure, logEvent, withScheme } from "../../src/connection.js";
import { createIo } from "../support/run-cli.js";

test.each([
  ["localhost", "http://localhost"],
  ["localhost:8080", "http://localhost:8080"],
  ["127.0.0.1:3008/api/v2", "http://127.0.0.1:3008/api/v2"],
  ["[::1]:3008", "http://[::1]:3008"],
  ["[fd00::1]", "http://[fd00::1]"],
  ["[fe80::1]:3008", "http://[fe80::1]:3008"],
  ["[2001:4860::8888]:3008", "https://[2001:4860::8888]:3008"],
  ["[fd::1]", "https://[fd::1]"],
  ["10.1.2.3", "http://10.1.2.3"],
  ["172.20.0.5:80", "http://172.20.0.5:80"],
  ["node:3008", "http://node:3008"],
  ["vega.internal", "http://vega.internal"],
  ["api.vega.example", "https://api.vega.example"],
  ["api.vega.example:8443/x", "https://api.vega.example:8443/x"],
  ["8.8.8.8", "https://8.8.8.8"],
  ["https://x.example", "https://x.example"],
  ["ftp://x", "ftp://x"],
  ["word", "word"],
  ["", ""],
  ["two words.example", "two words.example"],
])("the address of a node without a scheme, %s, is %s", (address, expected) => {
  expect(withScheme(address)).toBe(expected);
});

test.each([
  ["http_proxy", "socks5://user:secret@x"],
  ["HTTPS_PROXY", "http://:"],
])("a proxy of the environment is refused without its value if it is none of HTTP: %s", async (name, value) => {
  const message = `Expected ${name} to be the address of an HTTP proxy, such as http://proxy.example:3128.`;
  await expect(createFetch({ [name]: value })).rejects.toThrow(message);
});

test.each([
  ["http://proxy.example", 80],
  ["https://proxy.example", 443],
  ["http://proxy.example:3128", 3128],
])("the proxy %s that refuses connections on port %i is named", (proxy, port) => {
  const refused = Object.assign(new Error(`connect ECONNREFUSED 127.0.0.1:${port}`), { code: "ECONNREFUSED", port });
  const { message } = explainFailure(refused, "https://node.example/x", [new URL(proxy)]);
  expect(message).toBe(`The proxy ${proxy} does not respond: ${refused.message}`);
});

test.each([
  ["retry", { delay: 190.5 }, "retried in 191 ms: lost"],
  ["pause", { delay: 50 }, "held back for 50 ms to stay within the rate limit"],
  ["hedge", { delay: 80, from: "https://a", to: "https://b" }, "also sent to https://b after 80 ms without a response"],
  ["failover", { from: "https://a", to: "https://b", cause: "lag" }, "failed over from https://a to https://b: lag"],
] as const)("--verbose prints the event %s", (type, members, text) => {
  const error = type === "failover" ? undefined : { name: "ConnectionError", message: "lost" };
  const { io, stderr } = createIo([]);
  logEvent(io, { type, operation: "listVotes", attempt: 2, time: 0, error, ...members } as ObserverEvent);
  expect(stderr.text).toContain(`listVotes, attempt 2: ${text}`);
});
