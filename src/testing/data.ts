import type { BalanceChange, NodeSignature, PartyProfile, SpamStatistics } from "../../generated/types.js";
import { checkedWhenRead, expected, isPlainObject, nested } from "../arguments/check-options.js";
import { refuse, refuseUnknown } from "../arguments/refuse.js";
import type { Block } from "../values/block.js";
import { isDigits } from "../values/integers.js";
import { canonicalId } from "../values/names.js";
import { type Lists, type RecordGenerator, second, type Whole } from "./generator.js";
import { noStatistics } from "./spam-statistics.js";
import type { AddedRecords, FakeStatistics, FakeVote } from "./store.js";
import { base64ToBytes, toMicroseconds } from "./wire.js";

/** A record of which any member can be left out. */
type Incomplete<T> = { [Name in keyof T]?: T[Name] | undefined };

/**
 * The data of a fake node: records, or how many of them to generate. Missing members of records are completed. Without
 * any list, there are a hundred records of each; if you pass one list, the others are empty. Times are cut to
 * microseconds, as on real nodes.
 */
export interface FakeNodeData {
  /**
   * Votes; if a party votes on a proposal several times, the last vote counts. Generated ones are cast on three
   * proposals. The first is closed: all its votes were last written in one block, and their weights add up to 1. Votes
   * on open proposals have the weight "0", as on real nodes.
   */
  votes?: readonly Incomplete<FakeVote>[] | number | undefined;
  /** Profiles, listed by the bytes of their ids; of a party's profiles, the last one counts. */
  profiles?: readonly Incomplete<PartyProfile>[] | number | undefined;
  /** Balance changes. Generated ones come in blocks, most with a few of them and some with hundreds or thousands. */
  balances?: readonly Incomplete<BalanceChange>[] | number | undefined;
  /** Node signatures, listed by their bytes. */
  signatures?: readonly Incomplete<NodeSignature>[] | number | undefined;
  /** Spam statistics by party; a party that is not here has zeros. Without `pow`, responses have the current block. */
  spamStatistics?: Readonly<Record<string, Incomplete<SpamStatistics>>> | number | undefined;
  /**
   * The current block, in the headers `X-Block-Height` and `X-Block-Timestamp`. All earlier records are there and
   * final; records at its time can still be missing. Default: height 1234568, one second after the newest record.
   */
  block?: Block | undefined;
  /** The seed of generated records: the same seed gives the same ones. Default: 1. */
  seed?: number | undefined;
  /**
   * The id of a party that has votes, balance changes, a profile and spam statistics among the generated records, if
   * there are some dozens of each. Default: all parties are generated.
   */
  party?: string | undefined;
}

const defaultRecords = { votes: 100, profiles: 100, balances: 100, signatures: 100, spamStatistics: 10 };
const listNames = Object.keys(defaultRecords) as (keyof typeof defaultRecords)[];

/** Adds the default records to data without any list, not even an empty one. */
export const withDefaultRecords = (data: FakeNodeData): FakeNodeData =>
  listNames.some((name) => data[name] !== undefined) ? data : { ...data, ...defaultRecords };

const isNatural = (value: unknown) => typeof value === "bigint" && value >= 0n;
const dataChecks = {
  ...Object.fromEntries(listNames.map((name) => [name, checkedWhenRead])),
  block: expected("{ height, timestamp }, each a bigint of at least 0n", (value) => {
    const { height, timestamp } = (value ?? {}) as Partial<Block>;
    return isNatural(height) && isNatural(timestamp);
  }),
  seed: expected("an integer", Number.isSafeInteger),
  party: expected("an id", (value) => typeof value === "string" && value !== ""),
};

const aRecord = expected("a record", (value) => typeof value === "object" && value !== null);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

export const dataNames: readonly string[] = Object.keys(dataChecks);

export const checkData = (data: unknown): void => nested(dataChecks)(data, { argument: "data" });

/** Without the members that are `undefined`: they count as left out. */
export const withoutUndefined = <T extends object>(object: T): T =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;

/** When the records of data are written, in Unix nanoseconds. */
export interface RecordTimes {
  /** The time of the last record that is generated or has no time of its own. */
  newest: bigint;
  /** Whether all of them have this time, the time of the current block: earlier records are final. */
  inBlock: boolean;
  until?: bigint | undefined;
}

/** Reads the records of data, completes them, and generates those that are given as a number. */
export function readRecords(data: FakeNodeData, generator: RecordGenerator, times: RecordTimes): AddedRecords {
  const { newest, inBlock } = times;
  const lists: Lists = generator;
  const list = <Name extends keyof Whole>(
    name: Name,
    read: (record: Whole[Name], place: string) => Whole[Name] = (record) => record,
  ): readonly Whole[Name][] => {
    const given: unknown = data[name] ?? 0;
    if (isCount(given)) return lists[name](given, newest, inBlock);
    if (!Array.isArray(given)) {
      return refuse({ argument: `data.${name}` }, "an array of records, or how many to generate", given);
    }
    let members: readonly string[] | undefined;
    let check: ReturnType<typeof createCheck> | undefined;
    return given.map((record, index) => {
      const place = `data.${name}[${index}]`;
      aRecord(record, { argument: place });
      const time = inBlock ? newest : newest - BigInt(given.length - 1 - index) * second;
      // There can be a million records: those that lack nothing are not copied.
      const isWhole = members?.every((member) => record[member] !== undefined);
      const template = isWhole ? {} : generator.template[name](record.blockTime ?? `${time}`);
      members ??= Object.keys(template);
      check ??= createCheck(template);
      check(record, place);
      return read(isWhole ? record : { ...template, ...withoutUndefined(record) }, place);
    });
  };
  return {
    votes: list("votes", (vote, place) => {
      const { timestamp, blockTime } = vote;
      checkTime(`${place}.timestamp`, timestamp);
      if (blockTime !== undefined) checkTime(`${place}.blockTime`, blockTime, times);
      else if (inBlock && BigInt(timestamp) < newest) return { ...vote, blockTime: `${newest}` };
      else checkTime(`${place}.timestamp`, timestamp, times);
      return vote;
    }),
    profiles: list("profiles"),
    balances: list("balances", (change, place) => {
      checkTime(`${place}.timestamp`, change.timestamp, times);
      return change;
    }),
    signatures: list("signatures"),
    spamStatistics: readStatistics(data.spamStatistics, generator),
  };
}

const prefixes = new Map(
  Object.entries({ value: "VALUE_", accountType: "ACCOUNT_TYPE_", kind: "NODE_SIGNATURE_KIND_" }),
);

/**
 * Returns a function that checks the members of a record by an example. It refuses a name such as `party`, but not
 * every unknown one: a newer description can have more members.
 */
function createCheck(example: object) {
  const types = new Map(Object.entries(example).map(([name, value]) => [name, typeof value]));
  const problemOf = (name: string, type: string, value: unknown): string | undefined => {
    const prefix = prefixes.get(name);
    if (value === undefined || (name === "sig" && value === null)) return undefined;
    if (name === "sig") return typeof value === "string" && base64ToBytes(value) ? undefined : "base64";
    if (prefix) {
      const isName = typeof value === "number" || String(value).startsWith(prefix);
      return isName ? undefined : `a name that begins with ${prefix}`;
    }
    if (name.toLowerCase().endsWith("balance")) return isDigits(value) ? undefined : "an integer in digits";
    return typeof value === type ? undefined : `of type ${type}`;
  };
  return (record: Readonly<Record<string, unknown>>, place: string): void => {
    for (const name of Object.keys(record)) {
      const type = types.get(name);
      if (!type && [...types.keys()].some((each) => each.startsWith(name)))
        refuseUnknown(place, `member \`${name}\``, [...types.keys()], { argument: `${place}.${name}` });
      const problem = type && problemOf(name, type, record[name]);
      if (problem) refuse({ argument: `${place}.${name}` }, problem, record[name]);
    }
  };
}

function readStatistics(given: FakeNodeData["spamStatistics"], generator: RecordGenerator) {
  if (given === undefined) return {};
  if (isCount(given)) return generator.spamStatistics(given);
  if (!isPlainObject(given))
    return refuse({ argument: "data.spamStatistics" }, "an object by party, or how many to generate", given);
  const check = createCheck(noStatistics);
  const entries = Object.entries(given).map(([party, statistics]) => {
    const place = `data.spamStatistics.${party}`;
    aRecord(statistics, { argument: place });
    check(statistics, place);
    // Nodes look up ids in lower case, and the client sends them that way.
    return [canonicalId(party), { ...noStatistics, ...withoutUndefined(statistics) } as FakeStatistics];
  });
  return Object.fromEntries(entries);
}

function checkTime(argument: string, value: unknown, { newest = 0n, inBlock, until }: Partial<RecordTimes> = {}): void {
  const time = isDigits(value) ? toMicroseconds(value) : Number.NaN;
  if (!(Math.abs(time) <= Number.MAX_SAFE_INTEGER))
    refuse({ argument }, "digits of Unix nanoseconds, before the year 2255", value);
  if (inBlock && time < toMicroseconds(newest))
    refuse({ argument }, `at or after ${newest}, the time of the current block: what is before it is final`, value);
  if (until !== undefined && time > toMicroseconds(until))
    refuse({ argument }, `at or before ${until}, the time of the current block`, value);
}
