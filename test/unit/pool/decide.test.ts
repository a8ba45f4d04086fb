import { describe, expect, test } from "vitest";
import type { Asked, CallFacts, Decision, NodeHealth, PoolFacts } from "../../../src/pool/decide.js";
import { decide } from "../../../src/pool/decide.js";

/** Ten seconds after the clock began, when the chain was at second 0. */
const now = 10_000;
const block = (seconds: number) => ({ height: 1n, timestamp: BigInt((1_700_000_000 + seconds) * 1e9) });
const head = (seconds: number, respondedAt = now) => ({ blockTime: (1_700_000_000 + seconds) * 1000, respondedAt });

/** A node that responded just now, by default with second 10 after 100 ms. */
const node = (url: string, known: Partial<NodeHealth> = {}): NodeHealth => ({
  url,
  head: head(10),
  latest: known.head?.blockTime ?? head(10).blockTime,
  cause: undefined,
  coolUntil: 0,
  latency: 100,
  respondedAt: now,
  inFlight: 0,
  pause: 0,
  ...known,
});
const cooling = (cause: NodeHealth["cause"], until = 500) => ({ cause, coolUntil: now + until });
const failing = (url: string, until?: number) => node(url, cooling("failing", until));
const lagging = (url: string, until?: number) => node(url, cooling("lagging", until));
const unresponsive = (url: string, until?: number) => node(url, cooling("unresponsive", until));
const [a, b, c] = [node("a"), node("b"), node("c")];
const paused = node("b", { pause: 10 });
const unknown = { latency: undefined };
const longAgo = { latency: 900, respondedAt: now - 30_000 };

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
const withoutBlock = { ...got("a", 0), answer: { block: { height: 0n, timestamp: 0n } } };
const unsent: Asked = { ...failed("a"), failure: "unsent" };
const neverSent: Asked = { ...unsent, isSent: false };
const refused = (url: string) => failed(url, Number.NaN);
const lacks = (url: string, missing: Asked["missing"], seconds = 10): Asked => got(url, seconds, { missing });
const from = (url: string, completeFrom: bigint) => got(url, 10, { missing: "history", completeFrom });
const shorter = lacks("a", "history");

const two = [a, b];
const three = [a, b, c];

/** What was asked of these nodes, and the decision in short: what to do, with which node or for how long, and why. */
type Given = Partial<CallFacts & PoolFacts>;
type Case = [what: string, asked: Asked[], nodes: NodeHealth[], expected: string, given?: Given];

function decided(asked: Asked[], nodes: NodeHealth[], given: Given = {}): string {
  const facts = { endsAt: Number.POSITIVE_INFINITY, settings: { attempts: 4 }, ...given } as CallFacts;
  const options: PoolFacts = { nodes, maxLag: 10_000, order: "given", random: () => 0, session: {}, ...given };
  const decision: Decision = decide(facts, asked, options, now);
  const why = typeof decision.why === "string" ? decision.why : Object.values(decision.why).join(" ");
  if (decision.do === "wait") return `wait ${decision.until - now} ${why}`;
  if (decision.do === "return") return `return${decision.stale ? " stale" : ""} ${decision.request.node} ${why}`;
  if (decision.do === "fail") return `fail ${decision.request?.node ?? "all"} ${why}`;
  return `${decision.do} ${decision.node} ${why}`;
}

const attempts = (count: number) => ({ settings: { attempts: count } as CallFacts["settings"] });
const leaping = node("a", { head: head(600) });
const leaps = [leaping, b, c];
const leapsOfTwo = [leaping, node("b", { latest: head(600).blockTime }), c];
const older = "ask a failover b a regression";
const confirmed = { session: { returned: block(600).timestamp, confirmed: block(11).timestamp } };
const stale = [got("a", 11), got("b", 12), got("c", 10)];
const fastest = { order: "fastest" } as const;
/** Picks two nodes by these random numbers. */
const picked = (...numbers: number[]) => ({ ...fastest, random: () => numbers.shift() ?? 0 });
const pair = (one: Partial<NodeHealth>, other: Partial<NodeHealth>) => [node("a", one), node("b", other)];
const different = [a, node("b", { latency: 101 }), node("c", { latency: 102 })];
const [past, fresh] = [{ expectation: {} }, { expectation: { isFresh: true } }];
const proof = { expectation: { historyFrom: 1n } };
const returned = (seconds: number) => ({ session: { returned: block(seconds).timestamp } });

const cases = (subject: string, rows: Case[]) =>
  describe(subject, () => {
    test.each(rows)("%s", (_, asked, nodes, expected, given) => {
      expect(decided(asked, nodes, given)).toBe(expected);
    });
  });

cases("the first node", [
  ["is the first one in the order given", [], three, "ask a first"],
  ["is the fastest of two picked at random", [], [a, node("b", { latency: 50 })], "ask b first", fastest],
  ["counts the requests in flight", [], [node("a", { inFlight: 1 }), b], "ask b first", fastest],
  ["waits for its requests in flight", [], pair({ inFlight: 1, latency: 60 }, {}), "ask b first", fastest],
  ["may have more requests in flight", [], pair({ inFlight: 1, latency: 40 }, {}), "ask a first", fastest],
  ["counts the wait for the rate limit", [], [node("a", { pause: 80, latency: 50 }), b], "ask b first", fastest],
  ["counts the latency after this wait", [], pair({ pause: 10 }, { pause: 20, latency: 80 }), "ask b first", fastest],
  ["counts no others that wait", [], pair({ latency: 120 }, { pause: 10, inFlight: 9 }), "ask b first", fastest],
  ["is one that was not measured", [], [a, node("b", unknown)], "ask b first", fastest],
  ["is one that was measured long ago", [], [a, node("b", longAgo)], "ask b first", fastest],
  ["has fewer requests in flight", [], pair({ ...unknown, inFlight: 1 }, unknown), "ask b first", fastest],
  ["is the faster one of the second and the first", [], different, "ask a first", picked(0.4, 0.9)],
  ["is the faster one of the third and the second", [], different, "ask b first", picked(0.9, 0.5)],
  ["is the one of the page before", [], three, "ask b first", { expectation: { prefer: "b" } }],
  ["is the only one that the caller wants, even if it fails", [], [a, failing("b")], "ask b first", { node: "b" }],
  ["does not cool down", [], [failing("a"), b], "ask b first"],
  ["is a probe after its cool-down", [], [failing("a", 0), b], "ask a first"],
  ["may lag if what is read is past", [], [lagging("a"), b], "ask a first", past],
  ["does not lag if a ready one is there", [], [lagging("a"), b], "ask b first"],
  ["may not be unresponsive even then", [], [unresponsive("a"), b], "ask b first", past],
  ["is not behind what was returned", [], [node("a", { head: head(8) }), b], "ask b first", returned(10)],
  ["has gone on since it was heard", [], [node("a", { head: head(8, now - 2000) }), b], "ask a first", returned(10)],
  ["lags if all cool down", [], [failing("a", 1), lagging("b", 9)], "ask b first"],
  ["is the first one to be ready if all have failed", [], [failing("a", 9), unresponsive("b", 1)], "ask b first"],
]);

cases("after a failure", [
  ["the next node is asked", [failed("a")], three, "ask b failover a b error"],
  ["the next node is asked although its rate limit is full", [failed("a")], [a, paused], "ask b failover a b error"],
  ["a node that cools down is asked before one twice", [failed("a")], [a, failing("b")], "ask b failover a b error"],
  ["a late node is waited for until another one may help", [sent("a", 400), failed("b")], two, "wait 600 late"],
  ["after a second, a node that has failed is asked again", [sent("a", 1000), failed("b")], two, "retry b retry b 200"],
  ["the node is asked again that can be first", [failed("a", 300), failed("b", 200)], two, "retry b retry b 200"],
  ["a node that asks for too much time is not", [failed("a", 300), refused("b")], two, "retry a retry a 300"],
  ["the call ends if all ask for too much time", [refused("a"), refused("b")], two, "fail all error"],
  ["the call ends without attempts", [failed("a")], three, "fail all error", attempts(1)],
  ["the call ends if it may be sent once", [failed("a")], three, "fail all error", { once: true }],
  ["each node is asked once", [failed("a"), failed("b")], three, "ask c failover b c error", attempts(2)],
  ["that every node would repeat, the call ends", [{ ...failed("a"), failure: "call" }], three, "fail a refused"],
  ["before sending, the next node is asked", [unsent], three, "ask b failover a b error", attempts(1)],
  ["before sending, the node is asked again first", [failed("b", 100), unsent], two, "retry a retry a 200"],
]);

cases("while a node does not respond", [
  ["it is waited for, three times as long as usual", [sent("a", 100)], three, "wait 200 in time"],
  ["it is waited for 50 ms at least", [sent("a", 0)], [node("a", { latency: 1 }), b], "wait 50 in time"],
  ["it is waited for a second at most", [sent("a", 0)], [node("a", { latency: 900 }), b], "wait 1000 in time"],
  ["it is expected to be as fast as the fastest", [sent("a", 0)], [node("a", unknown), b], "wait 300 in time"],
  ["it is waited for half a second if none is known", [sent("a", 0)], [node("a", unknown)], "wait 500 in time"],
  ["another one is asked once it is late", [sent("a", 300)], three, "ask b hedge a b 300"],
  ["no other one is asked if the request may be sent once", [sent("a", 300)], three, "wait 700 late", { once: true }],
  ["another one is asked if it was not sent", [neverSent], three, "ask b failover a b error", { once: true }],
  ["none is asked that has no room in its rate limit", [sent("a", 300)], [a, paused], "wait 700 late"],
  ["one with room in its rate limit is asked before others", [sent("a", 300)], [a, paused, c], "ask c hedge a c 300"],
  ["one is asked that cools down, if there is no other", [sent("a", 300)], [a, lagging("b")], "ask b hedge a b 300"],
  ["no third one is asked while two may respond", [sent("a", 700), sent("b", 400)], three, "wait 300 late"],
  ["a third one is asked after a second", [sent("a", 1000), sent("b", 700)], three, "ask c hedge b c 700"],
  ["the last one is waited for", [sent("a", 3000)], [a], "wait 1000 late"],
]);

cases("a response", [
  ["is returned", [got("a", 10)], three, "return a fresh"],
  ["is returned without a block", [got("a", undefined)], three, "return a fresh"],
  ["that is the first of two is returned", [sent("a", 300), got("b", 10)], three, "return b fresh"],
  ["that is maxLag behind is returned", [got("a", 0)], three, "return a fresh"],
  ["that lags is not, while there is another node", [got("a", -1)], three, "ask b failover a b lag"],
  ["that lags is not, if it must be fresh", [got("a", -1)], three, "ask b failover a b lag", fresh],
  ["of a node without a block is not", [withoutBlock], three, "ask b failover a b lag"],
  ["that lags is returned if what is read is past", [got("a", -1)], three, "return a final", past],
  ["that is older than a returned one is not", [got("a", 10)], three, "ask b failover a b regression", returned(11)],
  ["as late as one that was returned is", [got("a", 10)], three, "return a fresh", returned(10)],
  ["with a block comes before an earlier one without", [got("a", undefined), got("b", 10)], three, "return b fresh"],
  ["with a block is returned before one without a block", [got("a", 10), got("b", undefined)], three, "return a fresh"],
  ["is compared with no time that two contradict", [got("b", 10)], leaps, "return b fresh", returned(600)],
  ["is compared with the latest time of two nodes, not of one alone", [got("b", 10)], leaps, older, confirmed],
  ["is compared with a time that two have shown, even so", [got("b", 10)], leapsOfTwo, older, returned(600)],
  ["that is the latest of stale ones is returned", stale, three, "return stale b regression", returned(13)],
  ["of the only node that the caller wants can be stale", [got("a", -1)], three, "return stale a lag", { node: "a" }],
]);

cases("a stale response", [
  ["waits for a better one", [got("a", -1), sent("b", 0)], two, "wait 300 in time"],
  ["waits for a node that is late", [got("a", -1), sent("b", 400)], two, "wait 600 late"],
  ["waits a second for a node that does not respond", [got("a", -1), sent("b", 1000)], two, "return stale a lag"],
  ["waits for a second", [got("a", -2, { endedAt: now - 1000 }), sent("b", 0)], three, "return stale a lag"],
  ["does not wait for the deadline", [got("a", -1), sent("b", 0)], three, "return stale a lag", { endsAt: now + 1 }],
  ["is returned if no other node is ready", [got("a", -1)], [a, failing("b")], "return stale a lag"],
]);

cases("a response that does not show the block", [
  ["makes another node be asked", [lacks("a", "block", 9)], three, "ask b failover a b block"],
  ["does not wake one that is unresponsive", [lacks("a", "block", 9)], [a, unresponsive("b")], "fail a block"],
  ["is the reason if others lack the place", [lacks("a", "place"), lacks("b", "block", 9)], two, "fail b block"],
  ["of a node without one is not waited for", [lacks("a", "place"), lacks("b", "block", -1.7e9)], two, "fail a place"],
]);

cases("a response that does not show the place", [
  ["makes an unresponsive one be asked", [lacks("a", "place")], [a, unresponsive("b")], "ask b failover a b place"],
  ["makes a late one be asked", [lacks("a", "place"), failed("c")], [a, lagging("b"), c], "ask b failover c b error"],
  ["makes a ready one be asked first", [lacks("a", "place")], [a, lagging("b"), c], "ask c failover a c place"],
  ["does not wake one that fails", [lacks("a", "place")], [a, failing("b")], "fail a place"],
  ["waits for a node whose rate limit is full", [queued("a", 3000), lacks("b", "place")], two, "wait 1000 late"],
  [
    "waits for it longer than for one that has failed",
    [queued("a", 3000), lacks("b", "place"), failed("c")],
    three,
    "wait 1000 late",
  ],
  ["does not wait for a node that is unresponsive", [sent("a", 1000), lacks("b", "place")], two, "fail b place"],
  ["makes a node be asked again that has failed", [lacks("a", "place"), failed("b")], two, "retry b retry b 200"],
]);

cases("a response that does not show the history", [
  ["makes one be asked that lags", [shorter], [a, lagging("b")], "ask b failover a b history"],
  ["is not returned if a lagging one shows it", [got("a", -1), lacks("b", "history")], two, "return stale a lag"],
  ["makes every node be asked", [shorter, sent("b", 0)], three, "ask c failover a c history"],
  ["waits for all nodes", [shorter, sent("b", 1500)], two, "wait 3500 history"],
  ["waits five seconds for a silent node", [shorter, sent("b", 5000)], two, "return a history"],
  ["does not wait for the deadline", [shorter, sent("b", 0)], two, "return a history", { endsAt: now + 1 }],
  ["waits if a start is needed", [shorter, sent("b", 0)], two, "wait 5000 history", { ...proof, endsAt: now + 1 }],
  ["waits for a node whose rate limit is full", [shorter, queued("b", 9000)], two, "wait 5000 history"],
  ["makes one be asked again that has failed", [shorter, failed("b")], two, "retry b retry b 200", proof],
  ["is returned if it reaches back furthest", [from("a", 3n), from("b", 1n), from("c", 2n)], three, "return b history"],
  ["is stale if it lags", [lacks("a", "history", -1)], [a, failing("b")], "return stale a history"],
]);
