import { describe, expect, test } from "vitest";
import {
  type Asked,
  type CallFacts,
  type Decision,
  decide,
  type NodeHealth,
  type PoolFacts,
} from "../../../src/pool/decide.js";

/** Ten seconds after the clock began, when the chain was at second 0. */
const now = 10_000;
const block = (seconds: number) => ({ height: 1n, timestamp: BigInt((1_700_000_000 + seconds) * 1e9) });
const head = (seconds: number, heardAt = now) => ({ blockTime: (1_700_000_000 + seconds) * 1000, heardAt });

/** A node that responded just now, by default with second 10 after 100 ms. */
const node = (url: string, known: Partial<NodeHealth> = {}): NodeHealth => ({
  url,
  head: head(10),
  latest: known.head?.blockTime ?? head(10).blockTime,
  cause: undefined,
  coolUntil: 0,
  latency: 100,
  heardAt: now,
  inFlight: 0,
  pause: 0,
  ...known,
});
const cooling = (cause: NodeHealth["cause"], until = 500) => ({ cause, coolUntil: now + until });
const failing = (url: string) => node(url, cooling("failing"));
const lagging = (url: string) => node(url, cooling("lagging"));
const unresponsive = (url: string) => node(url, cooling("unresponsive"));
const [a, b, c] = [node("a"), node("b"), node("c")];

/** A request that was sent some time ago, one that waits for the rate limit, one with a response, and one that has failed. */
const sent = (url: string, ago: number): Asked => ({ node: url, since: now - ago, isSent: true });
const queued = (url: string, ago: number): Asked => ({ ...sent(url, ago), isSent: false });
const got = (url: string, seconds: number | undefined, known: Partial<Asked> = {}): Asked => ({
  ...sent(url, 100),
  endedAt: now,
  answer: { block: seconds === undefined ? undefined : block(seconds) },
  ...known,
});
const failed = (url: string, delay = 200): Asked => ({
  ...sent(url, 100),
  endedAt: now,
  failure: "node",
  retryAt: Number.isNaN(delay) ? undefined : now + delay,
});
const refused = (url: string) => failed(url, Number.NaN);

interface Case {
  call?: Partial<CallFacts>;
  pool?: Partial<PoolFacts>;
  asked?: Asked[];
  nodes?: NodeHealth[];
}

/** The decision in short: what to do, with which node or for how long, and why. */
function decided({ call, pool, asked = [], nodes = [a, b, c] }: Case): string {
  const facts = { endsAt: Number.POSITIVE_INFINITY, settings: { attempts: 4 }, ...call } as CallFacts;
  const options: PoolFacts = { nodes, maxLag: 10_000, order: "given", random: () => 0, session: {}, ...pool };
  const decision: Decision = decide(facts, asked, options, now);
  const why = typeof decision.why === "string" ? decision.why : Object.values(decision.why).join(" ");
  if (decision.do === "wait") return `wait ${decision.until - now} ${why}`;
  if (decision.do === "return") return `return${decision.stale ? " stale" : ""} ${decision.request.node} ${why}`;
  if (decision.do === "fail") return `fail ${decision.request?.node ?? "all"} ${why}`;
  return `${decision.do} ${decision.node} ${why}`;
}

const fastest = { order: "fastest" } as const;
const past = { expectation: {} };
const returned = (seconds: number) => ({ session: { returned: block(seconds).timestamp } });

const cases = (subject: string, rows: [what: string, given: Case, expected: string][]) =>
  describe(subject, () => {
    test.each(rows)("%s", (_, given, expected) => expect(decided(given)).toBe(expected));
  });

cases("the first node", [
  ["is the first one in the order given", {}, "ask a first"],
  ["is the fastest of two picked at random", { pool: fastest, nodes: [a, node("b", { latency: 50 })] }, "ask b first"],
  ["counts the requests in flight", { pool: fastest, nodes: [node("a", { inFlight: 1 }), b] }, "ask b first"],
  [
    "counts the wait for the rate limit",
    { pool: fastest, nodes: [node("a", { pause: 80, latency: 50 }), b] },
    "ask b first",
  ],
  ["is one that was not measured", { pool: fastest, nodes: [a, node("b", { latency: undefined })] }, "ask b first"],
  ["is the one of the page before", { call: { expectation: { prefer: "b" } } }, "ask b first"],
  [
    "is the only one that the caller wants, also while it cools down",
    { call: { node: "b" }, nodes: [a, failing("b")] },
    "ask b first",
  ],
  ["does not cool down", { nodes: [failing("a"), b] }, "ask b first"],
  ["is a probe after its cool-down", { nodes: [node("a", cooling("failing", 0)), b] }, "ask a first"],
  ["may lag if what is read is past", { call: past, nodes: [lagging("a"), b] }, "ask a first"],
  ["does not lag if a ready one is there", { nodes: [lagging("a"), b] }, "ask b first"],
  ["may not be unresponsive even then", { call: past, nodes: [unresponsive("a"), b] }, "ask b first"],
  [
    "is probably not behind what was returned",
    { pool: returned(10), nodes: [node("a", { head: head(8) }), b] },
    "ask b first",
  ],
  [
    "has probably gone on since it was heard",
    { pool: returned(10), nodes: [node("a", { head: head(8, now - 2000) }), b] },
    "ask a first",
  ],
  [
    "is one that lags if all cool down",
    { nodes: [node("a", cooling("failing", 1)), node("b", cooling("lagging", 9))] },
    "ask b first",
  ],
  [
    "is the one whose cool-down ends first if all have failed",
    { nodes: [node("a", cooling("failing", 9)), node("b", cooling("unresponsive", 1))] },
    "ask b first",
  ],
]);

cases("after a failure", [
  ["the next node is asked", { asked: [failed("a")] }, "ask b failover a b error"],
  [
    "the next node is asked although its rate limit is used up",
    { asked: [failed("a")], nodes: [a, node("b", { pause: 10 })] },
    "ask b failover a b error",
  ],
  [
    "a node that cools down is asked before one twice",
    { asked: [failed("a")], nodes: [a, failing("b")] },
    "ask b failover a b error",
  ],
  [
    "a late node is waited for, no longer than until another one may help",
    { asked: [sent("a", 400), failed("b")], nodes: [a, b] },
    "wait 600 late",
  ],
  [
    "the node is asked again that can be first",
    { asked: [failed("a", 300), failed("b", 200)], nodes: [a, b] },
    "retry b retry b 200",
  ],
  [
    "a node that asks for too much time is not",
    { asked: [failed("a", 300), refused("b")], nodes: [a, b] },
    "retry a retry a 300",
  ],
  [
    "the call ends if all ask for too much time",
    { asked: [refused("a"), refused("b")], nodes: [a, b] },
    "fail all error",
  ],
  ["the call ends without attempts", { call: { settings: { attempts: 1 } }, asked: [failed("a")] }, "fail all error"],
  ["the call ends if it may be sent once", { call: { once: true }, asked: [failed("a")] }, "fail all error"],
  [
    "each node is asked, with fewer attempts",
    { call: { settings: { attempts: 2 } }, asked: [failed("a"), failed("b")] },
    "ask c failover b c error",
  ],
  ["that every node would repeat, the call ends", { asked: [{ ...failed("a"), failure: "call" }] }, "fail a refused"],
  [
    "that came before sending, the next node is asked",
    { call: { settings: { attempts: 1 } }, asked: [{ ...failed("a"), failure: "unsent" }] },
    "ask b failover a b error",
  ],
]);

cases("while a node does not respond", [
  ["it is waited for, three times as long as usual", { asked: [sent("a", 100)] }, "wait 200 in time"],
  [
    "it is waited for 50 ms at least",
    { asked: [sent("a", 0)], nodes: [node("a", { latency: 1 }), b] },
    "wait 50 in time",
  ],
  [
    "it is waited for a second at most",
    { asked: [sent("a", 0)], nodes: [node("a", { latency: 900 }), b] },
    "wait 1000 in time",
  ],
  [
    "it is expected to be as fast as the fastest, if it is unknown",
    { asked: [sent("a", 0)], nodes: [node("a", { latency: undefined }), b] },
    "wait 300 in time",
  ],
  [
    "it is waited for half a second, if no node is known",
    { asked: [sent("a", 0)], nodes: [node("a", { latency: undefined })] },
    "wait 500 in time",
  ],
  ["another one is asked once it is late", { asked: [sent("a", 300)] }, "ask b hedge a b 300"],
  [
    "none is asked that has no room in its rate limit",
    { asked: [sent("a", 300)], nodes: [a, node("b", { pause: 10 })] },
    "wait 700 late",
  ],
  [
    "one is asked whose rate limit has room, before others",
    { asked: [sent("a", 300)], nodes: [a, node("b", { pause: 10 }), c] },
    "ask c hedge a c 300",
  ],
  [
    "one is asked that cools down, if there is no other",
    { asked: [sent("a", 300)], nodes: [a, lagging("b")] },
    "ask b hedge a b 300",
  ],
  ["no third one is asked while two may respond", { asked: [sent("a", 700), sent("b", 400)] }, "wait 300 late"],
  ["a third one is asked after a second", { asked: [sent("a", 1000), sent("b", 700)] }, "ask c hedge b c 700"],
  ["the last one is waited for", { asked: [sent("a", 3000)], nodes: [a] }, "wait 1000 late"],
]);

cases("a response", [
  ["is returned", { asked: [got("a", 10)] }, "return a fresh"],
  ["is returned without a block", { asked: [got("a", undefined)] }, "return a fresh"],
  ["that is the first of two is returned", { asked: [sent("a", 300), got("b", 10)] }, "return b fresh"],
  ["that is maxLag behind is returned", { asked: [got("a", 0)] }, "return a fresh"],
  ["that lags is not, while there is another node", { asked: [got("a", -1)] }, "ask b failover a b lag"],
  [
    "that lags is not if the newest data are expected",
    { call: { expectation: { isFresh: true } }, asked: [got("a", -1)] },
    "ask b failover a b lag",
  ],
  [
    "of a node without a block is not",
    { asked: [{ ...got("a", 0), answer: { block: { height: 0n, timestamp: 0n } } }] },
    "ask b failover a b lag",
  ],
  ["that lags is returned if what is read is past", { call: past, asked: [got("a", -1)] }, "return a final"],
  [
    "that is older than one that was returned is not",
    { pool: returned(11), asked: [got("a", 10)] },
    "ask b failover a b regression",
  ],
  ["as late as one that was returned is", { pool: returned(10), asked: [got("a", 10)] }, "return a fresh"],
  [
    "with a block is returned before one without a block that came earlier",
    { asked: [got("a", undefined), got("b", 10)] },
    "return b fresh",
  ],
  [
    "with a block is returned before one without a block",
    { asked: [got("a", 10), got("b", undefined)] },
    "return a fresh",
  ],
  [
    "is compared with no time that one node has named and two contradict",
    { pool: returned(600), nodes: [node("a", { head: head(600) }), b, c], asked: [got("b", 10)] },
    "return b fresh",
  ],
  [
    "is compared with the latest time that two have shown, if one node alone has shown a later one",
    {
      pool: { session: { returned: block(600).timestamp, confirmed: block(11).timestamp } },
      nodes: [node("a", { head: head(600) }), b, c],
      asked: [got("b", 10)],
    },
    "ask a failover b a regression",
  ],
  [
    "is compared with a time that two have shown, even so",
    {
      pool: returned(600),
      nodes: [node("a", { head: head(600) }), node("b", { latest: head(600).blockTime }), c],
      asked: [got("b", 10)],
    },
    "ask a failover b a regression",
  ],
  ["that is stale waits for a better one", { asked: [got("a", -1), sent("b", 0)], nodes: [a, b] }, "wait 300 in time"],
  [
    "that is stale waits for a node that is late",
    { asked: [got("a", -1), sent("b", 400)], nodes: [a, b] },
    "wait 600 late",
  ],
  [
    "that is stale waits no longer than a second for a node that does not respond",
    { asked: [got("a", -1), sent("b", 1000)], nodes: [a, b] },
    "return stale a lag",
  ],
  [
    "that is stale waits for a second",
    { asked: [got("a", -2, { endedAt: now - 1000 }), sent("b", 0)] },
    "return stale a lag",
  ],
  [
    "that is stale does not wait for the total deadline",
    { call: { endsAt: now + 1 }, asked: [got("a", -1), sent("b", 0)] },
    "return stale a lag",
  ],
  [
    "that is stale is returned if no other node is ready",
    { asked: [got("a", -1)], nodes: [a, failing("b")] },
    "return stale a lag",
  ],
  [
    "that is the latest of several stale ones is returned",
    { pool: returned(13), asked: [got("a", 11), got("b", 12), got("c", 10)] },
    "return stale b regression",
  ],
  [
    "of the only node that the caller wants can be stale",
    { call: { node: "a" }, asked: [got("a", -1)] },
    "return stale a lag",
  ],
]);

cases("a response that does not show", [
  ["the block makes another node be asked", { asked: [got("a", 9, { lack: "block" })] }, "ask b failover a b block"],
  [
    "the place makes one be asked that is unresponsive",
    { asked: [got("a", 10, { lack: "place" })], nodes: [a, unresponsive("b")] },
    "ask b failover a b place",
  ],
  [
    "the place makes one be asked that lags, also after a failure",
    { asked: [got("a", 10, { lack: "place" }), failed("c")], nodes: [a, lagging("b"), c] },
    "ask b failover c b error",
  ],
  [
    "the place makes a ready one be asked first",
    { asked: [got("a", 10, { lack: "place" })], nodes: [a, lagging("b"), c] },
    "ask c failover a c place",
  ],
  [
    "the place does not wake one that fails",
    { asked: [got("a", 10, { lack: "place" })], nodes: [a, failing("b")] },
    "fail a place",
  ],
  [
    "the block does not wake one that is unresponsive",
    { asked: [got("a", 9, { lack: "block" })], nodes: [a, unresponsive("b")] },
    "fail a block",
  ],
  [
    "the block is the reason if others lack the place",
    { asked: [got("a", 10, { lack: "place" }), got("b", 9, { lack: "block" })], nodes: [a, b] },
    "fail b block",
  ],
  [
    "the place waits for a node whose rate limit is used up",
    { asked: [queued("a", 3000), got("b", 10, { lack: "place" })], nodes: [a, b] },
    "wait 1000 late",
  ],
  [
    "the place does not wait for a node that is unresponsive",
    { asked: [sent("a", 1000), got("b", 10, { lack: "place" })], nodes: [a, b] },
    "fail b place",
  ],
  [
    "the block of a node that has none yet is not waited for if others lack the place",
    { asked: [got("a", 10, { lack: "place" }), got("b", -1_700_000_000, { lack: "block" })], nodes: [a, b] },
    "fail a place",
  ],
  [
    "the history makes one be asked that lags",
    { asked: [got("a", 10, { lack: "history" })], nodes: [a, lagging("b")] },
    "ask b failover a b history",
  ],
  [
    "the history is not returned if another one shows it, but lags",
    { asked: [got("a", -1), got("b", 10, { lack: "history" })], nodes: [a, b] },
    "return stale a lag",
  ],
  [
    "the history makes every node be asked",
    { asked: [got("a", 10, { lack: "history" }), sent("b", 0)] },
    "ask c failover a c history",
  ],
  [
    "the history waits for all nodes",
    { asked: [got("a", 10, { lack: "history" }), sent("b", 1500)], nodes: [a, b] },
    "wait 3500 history",
  ],
  [
    "the history waits five seconds for a node that does not respond",
    { asked: [got("a", 10, { lack: "history" }), sent("b", 5000)], nodes: [a, b] },
    "return a history",
  ],
  [
    "the history waits for a node whose rate limit is used up",
    { asked: [got("a", 10, { lack: "history" }), queued("b", 9000)], nodes: [a, b] },
    "wait 5000 history",
  ],
  [
    "the history makes a node be asked again that has failed",
    {
      call: { expectation: { historyFrom: 1n } },
      asked: [got("a", 10, { lack: "history" }), failed("b")],
      nodes: [a, b],
    },
    "retry b retry b 200",
  ],
  [
    "the place makes a node be asked again that has failed",
    { asked: [got("a", 10, { lack: "place" }), failed("b")], nodes: [a, b] },
    "retry b retry b 200",
  ],
  [
    "the history is returned if it reaches back furthest",
    { asked: [3n, 1n, 2n].map((from, index) => got("abc"[index] ?? "", 10, { lack: "history", completeFrom: from })) },
    "return b history",
  ],
  [
    "the history is stale if it lags",
    { asked: [got("a", -1, { lack: "history" })], nodes: [a, failing("b")] },
    "return stale a history",
  ],
]);
