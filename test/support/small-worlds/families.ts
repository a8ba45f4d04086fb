import { type EventName, type SmallNode, type SmallReader, type SmallWorld, timeAt } from "./world.js";

/** A world, how it is read, and how many unusual things can happen meanwhile. */
export interface Case {
  world: SmallWorld;
  reader: SmallReader;
  budget: number;
}

/** Every combination of one value of each member. */
function* product<T extends object>(values: { readonly [Name in keyof T]: readonly T[Name][] }): Generator<T> {
  const names = Object.keys(values) as (keyof T)[];
  const of = function* (index: number): Generator<Partial<T>> {
    const name = names[index];
    if (name === undefined) return yield {};
    for (const rest of of(index + 1)) for (const value of values[name]) yield { ...rest, [name]: value } as Partial<T>;
  };
  yield* of(0) as Generator<T>;
}

/** Each set of so many items, an item any number of times. */
function sets<T>(items: readonly T[], size: number): T[][] {
  if (size === 0) return [[]];
  return items.flatMap((item, index) => sets(items.slice(index), size - 1).map((rest) => [item, ...rest]));
}

/** A chain for each text, which has the records of its blocks; `-` is a block without any. */
const chains = (...texts: string[]): string[][] =>
  texts.map((text) => text.split(" ").map((letters) => letters.replace("-", "")));

/** All chains of three blocks, each of which is one of these, with a record of a party and at most six of all. */
const chainsOf = (letters: readonly string[], party = ""): string[][] =>
  [...product<{ a: string; b: string; c: string }>({ a: letters, b: letters, c: letters })]
    .map(({ a, b, c }) => [a, b, c])
    .filter((blocks) => blocks.join("").length <= 6 && blocks.join("").includes(party) && blocks.join("") !== "");

/** A vote that is cast again in the last block, or a proposal that is closed in it. The last of four blocks has begun, but has not ended. */
// cspell:ignore bcde
const voteChains = chains("a bc de a", "a bc d a", "ab c d b", "ab cd *", "abc d e a");

const whole: SmallNode = { from: 0, lag: 0 };
const behind: SmallNode = { from: 0, lag: 1 };
const ahead: SmallNode = { from: 0, lag: 0, shows: true };
const empty: SmallNode = { from: 0, lag: 0, isEmpty: true };
const nameless: SmallNode = { ...whole, isNameless: true };
const from = (block: number): SmallNode => ({ from: block, lag: 0 });
/** Nodes at the head with every history, down to none at all, and one without a block. */
const currentNodes = [...[0, 1, 2, 3].map(from), empty];
const anyNodes = [...currentNodes, ...[0, 1, 2, 3].map((block) => ({ from: block, lag: 1 }))];
const voteNodes = [whole, behind, ahead, empty];
const single = (nodes: readonly SmallNode[]) => sets(nodes, 1);
const pairs = (nodes: readonly SmallNode[]) => sets(nodes, 2);

type Choice = Required<Omit<SmallWorld, "list" | "events">> & Required<SmallReader>;
type Values = { readonly [Name in keyof Choice]: readonly Choice[Name][] };

const usual: Values = {
  isStill: [false],
  blocks: chains("a ab abb"),
  nodes: [[whole]],
  spacing: ["hours"],
  version: ["v0.74"],
  access: ["address"],
  head: [3],
  kind: ["loop", "scan"],
  newestFirst: [false, true],
  size: [2],
  start: [undefined],
  end: [undefined],
  party: [undefined],
  isBackward: [false],
  concurrency: [1],
};

type List = SmallWorld["list"];
function* cases(list: List, events: EventName[], budget: number, values: Partial<Values>): Generator<Case> {
  for (const choice of product<Choice>({ ...usual, ...values })) {
    const { kind, newestFirst, size, start, end, party, isBackward, concurrency, ...world } = choice;
    const reader = { kind, newestFirst, size, start, end, party, isBackward, concurrency };
    const [from, to] = [start, end].map((name) => (name === undefined ? undefined : timeAt(world, name)));
    if ((kind === "scan" && isBackward) || (from !== undefined && to !== undefined && from >= to)) continue;
    yield { world: { list, events, ...world }, reader, budget };
  }
}

const balances = (events: EventName[], budget: number, values: Partial<Values>) =>
  cases("balances", events, budget, values);
/** Votes are read by loops, as scans read balance changes alone. */
const votes = (events: EventName[], budget: number, values: Partial<Values>) =>
  cases("votes", events, budget, { kind: ["loop"], ...values });

const anyStart = [undefined, "0-", "0", "1-", "1"] as const;
const pages = ["again", "later", "peek", "next"] as const;
const sizes = [2, 3];
const accesses = ["address", "pool"] as const;

/** What was once wrong, in the smallest worlds that show it. */
export const points: { readonly [sentence: string]: () => Generator<Case> } = {
  "history begins at any time of a day": () =>
    balances(["drop"], 1, { nodes: [[from(1)], [whole, from(1)]], start: [undefined, "0", "1-", "1"] }),
  "history begins minutes ago": () =>
    balances(["drop"], 1, { nodes: [[from(1)]], spacing: ["seconds"], start: [undefined, "0", "1-"] }),
  "history has no record of a party before the start": () =>
    balances([], 1, {
      ...{ blocks: chains("b a aab", "b b ab"), nodes: [[whole], [whole, from(2)]] },
      ...{ party: ["a"], start: ["1-", "1"] },
    }),
  "the only record up to the start is one of another party, at the start": () =>
    balances([], 0, { blocks: chains("b a -"), party: ["a"], start: ["0"], access: accesses }),
  "a segment in the middle begins where the history of its node does": () =>
    balances([], 2, {
      ...{ blocks: chains("a a a a a a"), head: [6], nodes: [1, 4].map((block) => [whole, from(block)]) },
      ...{ kind: ["scan"], concurrency: [2], size: [1, 2], start: [undefined, "0"], access: accesses },
    }),
  "a node of a pool has no block yet": () =>
    balances(["fill"], 1, {
      ...{ nodes: [[whole], [whole, whole]].map((nodes) => [...nodes, empty]), access: ["pool"] },
      ...{ start: [undefined, "1"] },
    }),
  "votes move while a node of a pool has no block": () =>
    votes([], 1, { blocks: chains("ab cd *"), nodes: [[whole, empty]], access: ["pool"], head: [2], size: [3] }),
  "a vote is cast again while the newest votes come first": () =>
    votes(["block"], 1, { blocks: chains("a bc de a"), newestFirst: [true], nodes: [[whole], [whole, whole]] }),
  "a page of votes is asked for twice": () =>
    votes([], 2, { blocks: chains("a bcde -"), nodes: [[whole, whole]], kind: pages }),
  "a vote moves in the block of two nodes between single pages": () =>
    votes([], 2, { blocks: chains("abc d e a"), nodes: [[whole, ahead]], kind: pages, newestFirst: [false] }),
  "a vote is cast again after a page without headers": () =>
    votes(["block"], 2, { blocks: chains("a bc de a"), newestFirst: [true], nodes: [[nameless, whole, behind]] }),
  "a vote moves into the block that two nodes name": () =>
    votes([], 1, { blocks: chains("a bc d a"), nodes: [[ahead, whole]], size: sizes, newestFirst: [false] }),
  "a node is at the block of the first record, and has not written it yet": () =>
    balances([], 0, {
      ...{ isStill: [true], nodes: [[behind, ahead]], access: ["pool"], kind: ["scan"], newestFirst: [true] },
    }),
  "the first page of a scan has a record of the block that has begun": () =>
    balances(["block"], 1, {
      ...{ blocks: chains("a ab ab"), head: [1], nodes: [[whole, ahead]], access: accesses, kind: ["scan"] },
    }),
  "more than a year is between a record that is dropped and the next one": () =>
    balances(["drop"], 1, { blocks: chains("a - a"), spacing: ["years"], version: ["v0.79"], kind: ["loop"] }),
  "a range ends within the microsecond of its last record": () =>
    balances([], 0, { blocks: chains("a aa a"), start: [undefined, "0+"], end: ["1+", "2+"] }),
};

/** All cases, by families. */
export const families: { readonly [name: string]: () => Generator<Case> } = {
  "one node": () =>
    balances(["block", "drop", "shows", "fill"], 1, {
      ...{ blocks: chainsOf(["", "a", "aa", "aaa"]), nodes: single(currentNodes), spacing: ["seconds", "hours"] },
      ...{ size: sizes, start: anyStart },
    }),
  "two nodes": () =>
    balances(["block", "drop", "lag"], 2, {
      ...{ blocks: chains("a ab ab", "aa - aab", "- aaa a"), nodes: pairs(anyNodes), start: [undefined, "1"] },
    }),
  "three nodes": () =>
    balances(["drop"], 2, { blocks: chains("a ab ab"), nodes: sets(anyNodes, 3), start: [undefined, "1-"] }),
  "a block comes": () =>
    balances(["block", "shows", "lag"], 2, {
      ...{ blocks: chains("a ab ab", "aa a aa"), nodes: [[whole], [whole, behind], [whole, ahead]], head: [1, 2] },
      ...{ size: sizes, start: [undefined, "0", "1"], access: accesses },
    }),
  "a network that stands still": () =>
    balances(["block", "lag"], 2, {
      ...{ isStill: [true], nodes: [[whole], [whole, behind], [behind, ahead]], access: accesses, head: [2, 3] },
      ...{ start: [undefined, "1"], end: [undefined, "2", "3"] },
    }),
  "one party": () =>
    balances(["block", "drop"], 1, {
      ...{ blocks: chainsOf(["", "a", "b", "ab"], "a"), nodes: [...single(currentNodes), ...pairs(currentNodes)] },
      ...{ party: ["a"], start: anyStart },
    }),
  "bounds within a microsecond": () =>
    balances(["block", "shows"], 2, {
      ...{ blocks: chains("a aa a", "aa ab ab", "a a aaa"), head: [2, 3], nodes: [[whole], [whole, behind]] },
      ...{ start: [undefined, "0", "0+", "1+"], end: ["1", "1+", "2", "2+", "3"], size: sizes },
    }),
  "newer nodes": () =>
    balances(["drop"], 1, {
      ...{ blocks: chainsOf(["", "a", "aab"], "a"), spacing: ["years", "hours"], version: ["v0.79"] },
      ...{ nodes: [...single(currentNodes), ...pairs(currentNodes.slice(0, 3))] },
      ...{ start: [undefined, "0", "1"], end: [undefined, "2", "2+"], party: [undefined, "a"] },
    }),
  "a pool": () =>
    balances(["drop", "block", "fill"], 1, {
      ...{ blocks: chains("a ab ab", "b aa ab"), nodes: [...pairs(anyNodes), ...sets(anyNodes, 3)] },
      ...{ access: ["pool"], start: [undefined, "1"], party: [undefined, "a"] },
    }),
  "several requests at once": () =>
    balances(["drop", "block"], 1, {
      ...{ blocks: chains("a a a a a a", "aa - aa a - a"), head: [5, 6], access: accesses },
      ...{ nodes: pairs([...[0, 1, 3, 4, 6].map(from), empty]), kind: ["scan"] },
      ...{ concurrency: [2, 4], size: [1, 2], start: [undefined, "0", "1"] },
    }),
  backward: () =>
    balances(["drop", "block"], 2, {
      ...{ blocks: chains("a ab abb"), nodes: [...single(currentNodes), ...pairs(currentNodes)] },
      ...{ kind: ["loop"], isBackward: [true], start: [undefined, "1"] },
    }),
  "without headers": () => {
    const others = currentNodes.slice(0, 4).map((node) => ({ ...node, isNameless: true }));
    return balances(["block", "drop"], 2, {
      ...{ nodes: [...single(others), ...others.map((node) => [whole, node])], head: [2, 3], access: accesses },
      ...{ start: [undefined, "1"], end: [undefined, "2"] },
    });
  },
  "votes and signatures without headers": function* () {
    const others = [nameless, { ...behind, isNameless: true }];
    const several = others.flatMap((node) => [
      [whole, node],
      [node, whole, behind],
    ]);
    const nodes = [...single(others), ...several];
    yield* votes(["block"], 2, { blocks: voteChains.slice(0, 2), nodes, kind: ["loop", "again"], head: [2, 3] });
    yield* cases("signatures", ["block"], 2, { blocks: chains("bd ac e"), nodes, kind: ["loop", "next"], head: [2] });
  },
  "single pages": () =>
    balances(["drop", "block"], 2, {
      ...{ blocks: chains("a ab abb", "aaa - ab"), nodes: [...single(currentNodes), ...pairs(currentNodes)] },
      ...{ kind: pages, start: [undefined, "1"] },
    }),
  votes: () =>
    votes(["block", "shows", "lag"], 2, {
      ...{ blocks: [...voteChains, ...chains("abc de a", "a b a")] },
      ...{ nodes: [...single(voteNodes), ...pairs(voteNodes)], head: [2, 3] },
      ...{ size: sizes, access: accesses, isBackward: [false, true] },
    }),
  "votes of a network that stands still": () =>
    votes(["lag"], 2, {
      ...{ isStill: [true], nodes: [[whole], [whole, behind], [behind, ahead]], access: accesses, blocks: voteChains },
    }),
  "three nodes of votes": () =>
    votes(["block"], 2, { blocks: voteChains, nodes: sets([whole, behind, ahead], 3), size: sizes }),
  "single pages of votes": () =>
    votes(["block"], 2, {
      ...{ blocks: chains("a bcde -", "abc d e a"), nodes: [[whole], ...pairs([whole, behind, ahead])] },
      ...{ kind: pages, size: sizes },
    }),
  signatures: () =>
    cases("signatures", ["block", "lag"], 2, {
      ...{ blocks: chains("bd ac e", "ac bdf -"), nodes: [[whole], [whole, behind], [ahead, whole]], head: [1, 2, 3] },
      ...{ kind: ["loop", ...pages], size: [1, 2, 3], access: accesses, isBackward: [false, true] },
    }),
  profiles: () =>
    cases("profiles", ["block", "lag"], 2, {
      ...{ blocks: chains("ab c -", "a b c"), nodes: [[whole], [whole, behind]], head: [1, 3] },
      ...{ kind: ["loop"], size: sizes },
    }),
};
