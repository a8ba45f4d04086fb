import { isAccountType } from "../../generated/enums.js";
import type { operations } from "../../generated/openapi.js";
import type {
  BalanceChange,
  NodeSignature,
  PartyProfile,
  SpamStatistics,
  Transaction,
  Vote,
} from "../../generated/types.js";
import { listNames, show } from "../arguments/refuse.js";
import { ArgumentError } from "../errors/index.js";
import { type CheckCode, check } from "./check.js";
import { FaultPlan, halfOf, type NodeFault, nodeFaults, wait } from "./faults.js";
import { Limiter, type RateLimit, usualRateLimit } from "./limits.js";
import { type Astray, type Entry, invalidArgument, page, Refusal, readTime } from "./paging.js";
import { MadeUp, noStatistics, type Records } from "./records.js";

/**
 * How nodes of v0.74 page wrongly (observed on v0.74 nodes).
 *
 * - `"tied-vote-cursors"`: a cursor of votes is a time and nothing else. Where more votes share one block time than fit a
 *   page, that page repeats for ever; with fewer, votes come twice.
 * - `"lost-balance-changes"`: one balance change is lost at each border between two pages.
 * - `"failing-profile-cursors"`: any cursor of profiles is answered with 500.
 * - `"unsized-cursors"`: a cursor without `first` or `last` is passed over, so that the same page comes again.
 */
export const nodeDefects = [
  "tied-vote-cursors",
  "lost-balance-changes",
  "failing-profile-cursors",
  "unsized-cursors",
] as const;

/** The name of a way in which nodes page wrongly. */
export type NodeDefect = (typeof nodeDefects)[number];

/**
 * What a fake node holds: records, or how many of them to make up. What is left out is empty; where nothing at all is
 * given, it is a little of everything.
 */
export interface FakeNodeData {
  /** Votes. Made-up ones are cast on three proposals, of which the first is closed: all its votes are of one time. */
  votes?: readonly Vote[] | number | undefined;
  /** Profiles, which are listed in this order, or backward where the newest are to come first. */
  profiles?: readonly PartyProfile[] | number | undefined;
  /** Balance changes. Made-up ones come in blocks, most with a few of them and some with very many. */
  balances?: readonly BalanceChange[] | number | undefined;
  /** Node signatures, which are listed in this order, or backward where the newest are to come first. */
  signatures?: readonly NodeSignature[] | number | undefined;
  /** Spam statistics by party; a party that is not here has zeros. */
  spamStatistics?: Readonly<Record<string, SpamStatistics>> | number | undefined;
  /**
   * What made-up records depend on: the same seed gives the same ones.
   *
   * @default 1
   */
  seed?: number | undefined;
}

/** How a fake node behaves. */
export interface FakeNodeOptions {
  /**
   * The ways in which it pages wrongly; none unless given. `nodeDefects` has them all.
   *
   * @example
   * ```ts
   * createFakeNode({ balances: 20_000 }, { defects: nodeDefects });
   * ```
   */
  defects?: readonly NodeDefect[] | undefined;
  /**
   * What goes wrong on the way, for all requests or for some; nothing unless given.
   *
   * @example
   * ```ts
   * createFakeNode({}, { faults: [{ name: "reset", request: 2 }, { name: "latency", milliseconds: 20 }] });
   * ```
   */
  faults?: readonly NodeFault[] | undefined;
  /**
   * How many requests it serves, each part by itself; `false` for any number.
   *
   * @default { rate: 20, burst: 100, refusals: 20, ban: 600 }
   */
  rateLimit?: Partial<RateLimit> | false | undefined;
  /** Milliseconds that only grow, which the rate limit goes by; `performance.now` unless given. */
  now?: (() => number) | undefined;
  /**
   * Decides the outcome of a check. Unless given, a transaction passes that has a `pubKey`, `inputData` in base64, a
   * signature in hexadecimal and a proof of work; what was checked before in the same block is refused either way.
   */
  checkCode?: ((tx: Transaction) => CheckCode) | undefined;
  /**
   * The name of its chain.
   *
   * @default "vega-fake-0011"
   */
  chainId?: string | undefined;
}

/** A request that came in. */
export interface ReceivedRequest {
  /** The operation that it asks for; `undefined` where there is none at this address. */
  operation: keyof operations | undefined;
  method: string;
  url: string;
  /** By their names in lower case. */
  headers: Record<string, string>;
  /** The text of the body; empty where there was none. */
  body: string;
}

/** A node in memory. */
export interface FakeNode {
  /**
   * Answers a request as a node does: hand it to `createClient`, or put it behind a server. Its host does not count, nor
   * does what comes before the path of an operation.
   */
  readonly fetch: (input: Request | URL | string, init?: ConstructorParameters<typeof Request>[1]) => Promise<Response>;
  /** The requests that came in, in their order. Empty it as you please. */
  readonly requests: ReceivedRequest[];
  /** What it holds. */
  readonly records: Records;
  /** Its last block. */
  readonly block: { readonly height: bigint; readonly timestamp: bigint };
  /**
   * Ends the block: records may join, and what was checked in it may be checked again.
   *
   * @throws `ArgumentError` where the data is not what it has to be.
   */
  nextBlock(data?: Omit<FakeNodeData, "seed">): void;
  /**
   * Changes how it behaves from now on; what is not given stays. Faults are counted anew.
   *
   * @throws `ArgumentError` where an option is not what it has to be.
   */
  configure(options: FakeNodeOptions): void;
}

/**
 * Makes a node in memory for tests: the six operations with the paging, the limits, the headers and the errors of a
 * v0.74 node behind a standard `fetch`. There is no network and no server, in any runtime.
 *
 * @throws `ArgumentError` where data or options are not what they have to be.
 * @example
 * ```ts
 * const node = createFakeNode({ votes: 250 });
 * const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });
 * const votes = await client.listVotes({ proposalId: node.records.votes[0]!.proposalId }).toArray();
 * ```
 */
export function createFakeNode(data: FakeNodeData = littleOfEverything, options: FakeNodeOptions = {}): FakeNode {
  const node = new Node(data, options);
  return {
    fetch: (input, init) => node.fetch(new Request(input, init)),
    requests: node.requests,
    get records() {
      return node.records;
    },
    get block() {
      return node.block;
    },
    nextBlock: (data = {}) => node.nextBlock(data),
    configure: (options) => node.configure(options),
  };
}

const littleOfEverything: FakeNodeData = {
  votes: 100,
  profiles: 100,
  balances: 100,
  signatures: 100,
  spamStatistics: 10,
};

interface Route {
  operation: keyof operations;
  method: "GET" | "POST";
  path: RegExp;
  answer(request: { query: URLSearchParams; path: string; body: string }, astray: Astray): object;
}

/** What goes wrong with pages, by the operation that it concerns. */
const astrayBy: Record<NodeDefect, { operation?: keyof operations; astray: Astray }> = {
  "tied-vote-cursors": { operation: "listVotes", astray: { byTimeAlone: true } },
  "lost-balance-changes": { operation: "listBalanceChanges", astray: { skipsOne: true } },
  "failing-profile-cursors": { operation: "listPartiesProfiles", astray: { fails: true } },
  "unsized-cursors": { astray: { ignoredWithoutSize: true } },
};

/** Larger messages are refused, and larger answers too. */
const largest = { request: 4 * 2 ** 20, answer: 20 * 2 ** 20 };

class Node {
  readonly requests: ReceivedRequest[] = [];
  records: Records = { votes: [], profiles: [], balances: [], signatures: [], spamStatistics: {} };
  block = { height: 1_234_567n, timestamp: 0n };
  readonly #madeUp: MadeUp;
  #entries: { [List in "votes" | "profiles" | "balances" | "signatures"]: Entry<Records[List][number]>[] };
  #made: Record<keyof Records, number> = { votes: 0, profiles: 0, balances: 0, signatures: 0, spamStatistics: 0 };
  #checked = new Set<string>();
  #options: FakeNodeOptions = {};
  #faults = new FaultPlan([]);
  #limiter: Limiter | undefined;

  readonly #routes: Route[] = [
    {
      operation: "listVotes",
      method: "GET",
      path: /\/api\/v2\/votes$/,
      answer: ({ query }, astray) => {
        const [party, proposal] = [query.get("partyId"), query.get("proposalId")];
        if (party === null && proposal === null) {
          throw invalidArgument(undefined, { code: 10023, message: "missing proposal id and party id" });
        }
        const entries = this.#entries.votes.filter(
          ({ record }) =>
            (party ?? record.partyId) === record.partyId && (proposal ?? record.proposalId) === record.proposalId,
        );
        return { votes: page("votes", entries, query, astray) };
      },
    },
    {
      operation: "listPartiesProfiles",
      method: "GET",
      path: /\/api\/v2\/parties\/profiles$/,
      answer: ({ query }, astray) => {
        const isWanted = readFilter(query, "parties");
        const entries = this.#entries.profiles.filter(({ record }) => isWanted(record.partyId));
        return { profiles: page("profiles", entries, query, astray) };
      },
    },
    {
      operation: "getSpamStatistics",
      method: "GET",
      path: /\/statistics\/spam\/([^/]+)$/,
      answer: ({ path }) => ({
        chainId: this.#options.chainId ?? "vega-fake-0011",
        statistics: ownMember(this.records.spamStatistics, path) ?? noStatistics(),
      }),
    },
    {
      operation: "listBalanceChanges",
      method: "GET",
      path: /\/api\/v2\/balance\/changes$/,
      answer: ({ query }, astray) => {
        const asset = query.get("filter.assetId");
        const isParty = readFilter(query, "filter.partyIds");
        const isMarket = readFilter(query, "filter.marketIds");
        const types = query.getAll("filter.accountTypes");
        for (const type of types) {
          if (!isAccountType(type)) throw invalidArgument(`parsing list, idx: 0, error: ${type} is not valid`);
        }
        const start = readTime(query, "dateRange.startTimestamp");
        const end = readTime(query, "dateRange.endTimestamp");
        const entries = this.#entries.balances.filter(
          ({ record, time }) =>
            (start === undefined || time >= start) &&
            (end === undefined || time < end) &&
            (asset === null || asset === record.assetId) &&
            isParty(record.partyId) &&
            isMarket(record.marketId) &&
            (types.length === 0 || types.includes(String(record.accountType))),
        );
        return { balances: page("balances", entries, query, astray) };
      },
    },
    {
      operation: "listNodeSignatures",
      method: "GET",
      path: /\/api\/v2\/node\/signatures$/,
      answer: ({ query }, astray) => {
        const id = query.get("id");
        if (!id) throw invalidArgument("missing id");
        const entries = this.#entries.signatures.filter(({ record }) => record.id === id);
        return { signatures: page("signatures", entries, query, astray) };
      },
    },
    {
      operation: "checkTransaction",
      method: "POST",
      path: /\/transaction\/check$/,
      answer: ({ body }) => check(body, this.#checked, this.#options.checkCode),
    },
  ];

  constructor(data: FakeNodeData, options: FakeNodeOptions) {
    checkNames("data", data, dataNames);
    if (data.seed !== undefined && !Number.isSafeInteger(data.seed)) refuse("data.seed", "an integer", data.seed);
    this.#madeUp = new MadeUp(data.seed ?? 1);
    this.#entries = { votes: [], profiles: [], balances: [], signatures: [] };
    this.configure({ ...options, rateLimit: options.rateLimit ?? {} });
    this.#add(data);
  }

  configure(options: FakeNodeOptions): void {
    checkNames("options", options, optionNames);
    checkOptions(options);
    const { rateLimit, now } = options;
    const given = Object.entries(options).filter(([, value]) => value !== undefined);
    this.#options = { ...this.#options, ...Object.fromEntries(given) };
    if (options.faults !== undefined) this.#faults = new FaultPlan(options.faults);
    if (rateLimit !== undefined || now !== undefined) {
      const limit = this.#options.rateLimit;
      const clock = this.#options.now ?? (() => performance.now());
      this.#limiter = limit === false ? undefined : new Limiter({ ...usualRateLimit, ...limit }, clock);
    }
  }

  nextBlock(data: FakeNodeData): void {
    checkNames("data", data, dataNames);
    this.#add(data);
    this.#checked.clear();
  }

  #add({ votes, profiles, balances, signatures, spamStatistics }: FakeNodeData): void {
    const madeUp = this.#madeUp;
    /** Those that follow on the ones made up before. */
    const more = <T>(list: keyof Records, count: number, make: (count: number) => T[]) => {
      const before = this.#made[list];
      this.#made[list] += count;
      return make(before + count).slice(before);
    };
    const added: Records = {
      votes: readRecords("votes", votes, (count) => more("votes", count, (all) => madeUp.votes(all))),
      profiles: readRecords("profiles", profiles, (count) => more("profiles", count, (all) => madeUp.profiles(all))),
      balances: readRecords("balances", balances, (count) => more("balances", count, (all) => madeUp.balances(all))),
      signatures: readRecords("signatures", signatures, (count) =>
        more("signatures", count, (all) => madeUp.signatures(all)),
      ),
      spamStatistics: readStatistics(spamStatistics, (count) =>
        Object.fromEntries(more("spamStatistics", count, (all) => Object.entries(madeUp.spamStatistics(all)))),
      ),
    };
    const { records } = this;
    this.records = {
      votes: [...records.votes, ...added.votes],
      profiles: [...records.profiles, ...added.profiles],
      balances: [...records.balances, ...added.balances],
      signatures: [...records.signatures, ...added.signatures],
      spamStatistics: { ...records.spamStatistics, ...added.spamStatistics },
    };
    const timed = ({ timestamp }: { timestamp: string }) => BigInt(timestamp);
    this.#entries = {
      votes: sorted(this.records.votes, timed),
      profiles: sorted(this.records.profiles, () => 0n),
      balances: sorted(this.records.balances, timed),
      signatures: sorted(this.records.signatures, () => 0n),
    };
    const newest = [this.#entries.votes.at(-1)?.time, this.#entries.balances.at(-1)?.time, this.block.timestamp];
    const timestamp = newest.reduce<bigint>((most, time) => (time !== undefined && time > most ? time : most), 0n);
    this.block = { height: this.block.height + 1n, timestamp: timestamp + 1_000_000_000n };
  }

  async fetch(request: Request): Promise<Response> {
    const { signal } = request;
    signal.throwIfAborted();
    const { pathname, searchParams: query } = new URL(request.url);
    // Whatever stands in front is a proxy's, but for a version that is doubled.
    const isDoubled = (pathname.match(/\/api\/v2(?=\/)/g) ?? []).length > 1;
    const route = isDoubled ? undefined : this.#routes.find(({ path }) => path.test(pathname));
    const body = await request.text();
    const { method, url, headers } = request;
    const operation = route?.operation;
    this.requests.push({ operation, method, url, headers: Object.fromEntries(headers), body });
    const outcome = this.#limiter?.take() ?? "served";
    const limits = this.#limiter?.headers ?? {};
    const faults = this.#faults.of(operation);
    const fault = <Name extends NodeFault["name"]>(name: Name) =>
      faults.find((each): each is Extract<NodeFault, { name: Name }> => each.name === name);

    const astray: Astray = {
      empty: fault("empty-page") !== undefined,
      repeats: fault("repeated-cursor") !== undefined,
    };
    for (const defect of this.#options.defects ?? []) {
      const { operation: of, astray: lead } = astrayBy[defect];
      if (of === undefined || of === operation) Object.assign(astray, lead);
    }
    const answer = this.#answer(outcome, route, request.method, { query, pathname, body }, astray);

    const { milliseconds } = fault("latency") ?? {};
    if (milliseconds !== undefined) await wait(milliseconds, signal);
    if (fault("reset")) throw new TypeError("fetch failed: the connection was reset");
    const html = fault("html");
    if (html) {
      const text = "<!doctype html><title>Bad gateway</title><h1>Bad gateway</h1>";
      return new Response(text, { status: html.status ?? 200, headers: { "Content-Type": "text/html" } });
    }
    const broken = fault("status");
    const { status, text } = broken ? failure(broken.status, grpcCodes[broken.status] ?? 2, "made up") : answer;
    const all = new Headers({
      "Content-Type": "application/json",
      ...limits,
      "X-Block-Height": String(this.block.height),
      "X-Block-Timestamp": String(this.block.timestamp),
      Vary: "Origin",
      ...corsHeaders,
      ...broken?.headers,
    });
    // Nodes send two; `fetch` shows them as one.
    if (status >= 400) all.append("Content-Type", "application/grpc");
    return new Response(text && fault("truncated-body") ? halfOf(text) : text, { status, headers: all });
  }

  #answer(
    outcome: ReturnType<Limiter["take"]>,
    route: Route | undefined,
    method: string,
    { query, pathname, body }: { query: URLSearchParams; pathname: string; body: string },
    astray: Astray,
  ): { status: number; text: string | null } {
    if (outcome === "banned") return failure(403, 7, "temporarily banned for continuing to request while rate limited");
    if (outcome === "refused") return failure(429, 8, "api request rate limit exceeded");
    if (route === undefined) return failure(404, 5, "Not Found");
    if (method === "OPTIONS") return { status: 204, text: null };
    if (method !== route.method) return failure(501, 12, "Method Not Allowed");
    if (body.length > largest.request) return tooLarge(body.length, largest.request);
    try {
      const path = decode(route.path.exec(pathname)?.[1] ?? "");
      const text = toJson(route.answer({ query, path, body }, astray));
      return text.length > largest.answer ? tooLarge(text.length, largest.answer) : { status: 200, text };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { code, message, details } = error;
      return { status: code === 13 ? 500 : 400, text: toJson({ code, message, details }) };
    }
  }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw invalidArgument("malformed path");
  }
}

const corsHeaders = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Headers": "*",
  "Access-Control-Expose-Headers": [
    "RateLimit-Limit",
    "RateLimit-Remaining",
    "RateLimit-Reset",
    "RateLimit-Retry-After",
    "X-Block-Height",
    "X-Block-Timestamp",
  ].join(", "),
};

/** JSON as Go writes it. */
const toJson = (content: object) =>
  JSON.stringify(content).replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
const failure = (status: number, code: number, message: string) => ({
  status,
  text: toJson({ code, message, details: [] }),
});
const tooLarge = (size: number, most: number) =>
  failure(429, 8, `grpc: received message larger than max (${size} vs. ${most})`);

/** The status code of gRPC that a node answers an HTTP status with. */
const grpcCodes: Record<number, number> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  408: 1,
  409: 6,
  429: 8,
  500: 13,
  501: 12,
  503: 14,
  504: 4,
};

function sorted<T>(records: readonly T[], timeOf: (record: T) => bigint): Entry<T>[] {
  return records
    .map((record, number) => ({ record, time: timeOf(record), number }))
    .sort((a, b) => Number(a.time > b.time) - Number(a.time < b.time) || a.number - b.number);
}

/** A filter of ids, which repeats its name for each; an empty one is refused. */
function readFilter(query: URLSearchParams, name: string): (id: string | undefined) => boolean {
  const ids = query.getAll(name);
  if (ids.includes("")) throw invalidArgument(`invalid id in ${name}`);
  const wanted = new Set(ids);
  return (id) => wanted.size === 0 || wanted.has(id ?? "");
}

function ownMember<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

const operationNames: readonly (keyof operations)[] = [
  "listVotes",
  "listPartiesProfiles",
  "getSpamStatistics",
  "listBalanceChanges",
  "listNodeSignatures",
  "checkTransaction",
];
const dataNames = ["votes", "profiles", "balances", "signatures", "spamStatistics", "seed"];
const optionNames = ["defects", "faults", "rateLimit", "now", "checkCode", "chainId"];

function readRecords<T extends object>(
  name: string,
  given: readonly T[] | number | undefined,
  make: (count: number) => T[],
): readonly T[] {
  if (given === undefined) return [];
  if (typeof given === "number" && Number.isSafeInteger(given) && given >= 0) return make(given);
  if (!Array.isArray(given)) refuse(`data.${name}`, "an array of records, or how many to make up", given);
  for (const [index, record] of given.entries()) {
    if (typeof record !== "object" || record === null) refuse(`data.${name}[${index}]`, "a record", record);
    if (name !== "votes" && name !== "balances") continue;
    const { timestamp } = record as { timestamp?: unknown };
    if (typeof timestamp !== "string" || !/^-?\d+$/.test(timestamp)) {
      refuse(`data.${name}[${index}].timestamp`, "digits of Unix nanoseconds", timestamp);
    }
  }
  return given;
}

function readStatistics(
  given: FakeNodeData["spamStatistics"],
  make: (count: number) => Records["spamStatistics"],
): Records["spamStatistics"] {
  if (given === undefined) return {};
  if (typeof given === "number" && Number.isSafeInteger(given) && given >= 0) return make(given);
  if (typeof given === "object" && given !== null && !Array.isArray(given)) return given;
  return refuse("data.spamStatistics", "an object by party, or how many to make up", given);
}

function checkOptions({ defects = [], faults = [], rateLimit = {}, now, checkCode, chainId }: FakeNodeOptions): void {
  if (!Array.isArray(defects)) refuse("options.defects", "an array of names", defects);
  for (const [index, defect] of defects.entries()) {
    if (!nodeDefects.includes(defect)) refuse(`options.defects[${index}]`, `one of ${listNames(nodeDefects)}`, defect);
  }
  if (!Array.isArray(faults)) refuse("options.faults", "an array of faults", faults);
  for (const [index, fault] of faults.entries()) {
    const place = `options.faults[${index}]`;
    if (!nodeFaults.includes(fault?.name))
      refuse(`${place}.name`, `one of ${listNames(nodeFaults)}`, fault?.name ?? fault);
    const { operation } = fault;
    if (operation !== undefined && !operationNames.includes(operation)) {
      refuse(`${place}.operation`, `one of ${listNames(operationNames)}`, operation);
    }
    if (fault.name === "latency" && !(fault.milliseconds >= 0))
      refuse(`${place}.milliseconds`, "a number", fault.milliseconds);
    if (fault.name === "status" && !(fault.status >= 200 && fault.status < 600))
      refuse(`${place}.status`, "an HTTP status", fault.status);
  }
  if (rateLimit !== false) {
    checkNames("options.rateLimit", rateLimit, Object.keys(usualRateLimit));
    for (const [name, value] of Object.entries(rateLimit)) {
      if (!(Number.isSafeInteger(value) && value >= 0)) refuse(`options.rateLimit.${name}`, "a whole number", value);
    }
  }
  for (const [name, value] of Object.entries({ now, checkCode })) {
    if (value !== undefined && typeof value !== "function") refuse(`options.${name}`, "a function", value);
  }
  if (chainId !== undefined && typeof chainId !== "string") refuse("options.chainId", "a string", chainId);
}

function checkNames(argument: string, value: unknown, names: readonly string[]): void {
  if (typeof value !== "object" || value === null) refuse(argument, `an object with ${listNames(names)}`, value);
  for (const name of Object.keys(value)) {
    if (!names.includes(name)) {
      throw new ArgumentError(`createFakeNode has no \`${argument}.${name}\`. Expected ${listNames(names)}.`, {
        argument: `${argument}.${name}`,
      });
    }
  }
}

function refuse(argument: string, expected: string, value: unknown): never {
  throw new ArgumentError(`Expected \`${argument}\` of createFakeNode to be ${expected}, got ${show(value)}.`, {
    argument,
  });
}
