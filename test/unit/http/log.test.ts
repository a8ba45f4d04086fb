import { describe, expect, test } from "vitest";
import type { LogLevel } from "../../../src/http/events.js";
import { logLevel, withLog } from "../../../src/http/log.js";
import { createClient, type ObserverEvent } from "../../../src/index.js";
import { createFakeNode } from "../../../src/testing/index.js";
import { json } from "../../support/recorder.js";

const secret = "secret";
const baseUrl = `https://node.example/${secret}/datanode`;

/** The lines that a client prints while it calls: a 503, a connection that is refused, and a response. */
async function linesOf(level: LogLevel): Promise<string[]> {
  const lines: string[] = [];
  const node = createFakeNode();
  const failures: (() => Promise<Response>)[] = [
    async () => json({ message: secret }, { status: 503 }),
    () => Promise.reject(new TypeError("fetch failed", { cause: new Error(`connect ECONNREFUSED ${baseUrl}`) })),
  ];
  const client = createClient({
    baseUrl,
    headers: { authorization: secret },
    retry: { baseDelay: 0 },
    observe: withLog(undefined, level, (line) => lines.push(line)),
    fetch: ({ url }) => failures.shift()?.() ?? node.fetch(url.replace(`/${secret}/datanode`, "")),
  });
  await client.getSpamStatistics({ partyId: secret });
  return lines.map((line) => line.replace(/after \d+ ms/, "after N ms"));
}

const attempt = (number: number, text: string) => `vegaprotocol-client: getSpamStatistics, attempt ${number}: ${text}`;
const sent = "GET https://node.example";
const unreachable =
  "ConnectionError: getSpamStatistics received no response from https://node.example: fetch failed: " +
  "connect ECONNREFUSED https://node.example after N ms";
const first = [attempt(1, "ApiError, status 503 after N ms"), attempt(1, "next attempt in 0 ms")];
const second = [attempt(2, unreachable), attempt(2, "next attempt in 0 ms")];
const third = [attempt(3, sent), attempt(3, "status 200 after N ms")];
const problems = [...first, ...second];

describe("a log", () => {
  test.each<[level: LogLevel, what: string, lines: string[]]>([
    ["info", "a line for each error and each wait", problems],
    ["debug", "a line for each event", [attempt(1, sent), ...first, attempt(2, sent), ...second, ...third]],
    ["off", "none", []],
  ])("of %j has %s", async (level, _, lines) => {
    expect(await linesOf(level)).toEqual(lines);
  });

  test("has waits for the rate limit and failovers, with the node", () => {
    const lines: string[] = [];
    const log = withLog(undefined, "info", (line) => lines.push(line));
    const common = { operation: "listVotes", attempt: 2, time: 0, node: `https://a.example/${secret}` };
    log?.({ ...common, type: "pause", delay: 1200.4, cause: "limit" });
    log?.({ ...common, type: "failover", from: common.node, to: "https://b.example", cause: "lag", error: undefined });
    const start = "vegaprotocol-client: listVotes, attempt 2 on https://a.example:";
    expect(lines).toEqual([
      `${start} waits 1200 ms for the rate limit`,
      `${start} turns from https://a.example to https://b.example, cause: lag`,
    ]);
  });

  test("calls the observer, too, and returns its promise", () => {
    let seen: ObserverEvent | undefined;
    const promise = Promise.resolve();
    const observe = (event: ObserverEvent) => {
      seen = event;
      return promise;
    };
    const log = withLog(observe, "info", () => {});
    const event = { type: "attempt", operation: "a", attempt: 1, time: 0, method: "GET", url: baseUrl } as const;
    expect(log?.(event)).toBe(promise);
    expect(seen).toBe(event);
  });
});

describe("the level of a log", () => {
  const withEnv = (value?: string) => ({ process: { env: { VEGA_LOG: value } } });
  const withDeno = (state: string) => ({
    ...withEnv("debug"),
    Deno: { permissions: { querySync: () => ({ state }) } },
  });
  const throwing = {
    get process(): never {
      throw new Error("no access");
    },
  };
  test.each<[what: string, runtime: object, level: LogLevel]>([
    ["the variable", withEnv("debug"), "debug"],
    ["no variable", withEnv(), "off"],
    ["another value", withEnv("verbose"), "off"],
    ["no environment", {}, "off"],
    ["a process without environment", { process: {} }, "off"],
    ["an environment that throws", throwing, "off"],
    ["Deno with the permission", withDeno("granted"), "debug"],
    ["Deno without the permission, which it would ask for", withDeno("prompt"), "off"],
  ])("with %s", (_, runtime, level) => {
    expect(logLevel(runtime)).toBe(level);
  });
});
