import { operations } from "../../../generated/operations.js";
import type { BalanceChange } from "../../../generated/types.js";
import { sha256Hex } from "../../list/repair/sha256.js";
import { numberOf, toName } from "../../values/enumeration.js";
import type { Ids } from "../ids.js";
import { toJson } from "../json.js";
import { compare, firstIndex } from "../sorted.js";
import { type Microseconds, toMicroseconds, toNanosecondDigits } from "../time.js";

const { enums } = operations.listBalanceChanges;

/** An account, with the keys that filters compare. */
export class Account {
  readonly asset: string;
  readonly party: string;
  readonly market: string;
  readonly type: number;
  readonly #name: string;
  readonly #otherName: string;
  /** The JSON of the members that a cursor has of the account, but for its id. */
  readonly cursorMembers: string;
  #id: string | undefined;
  #otherId: string | undefined;

  constructor(name: string, { assetId = "", partyId = "", marketId = "", accountType = 0 }: BalanceChange, ids: Ids) {
    this.asset = ids.add(assetId);
    this.party = ids.add(partyId);
    this.market = ids.add(marketId);
    this.type = typeof accountType === "number" ? accountType : (numberOf(enums.accountType, accountType) ?? 0);
    this.#name = name;
    this.#otherName = `${accountType}${marketId}${partyId}${assetId}`;
    const members = { PartyID: partyId, AssetID: assetId, MarketID: marketId, Type: this.type };
    this.cursorMembers = toJson(members).slice(1, -1);
  }

  /** The SHA-256 of the names, in hex, by which rows of one block are sorted; computed when it is first read. */
  get id(): string {
    this.#id ??= sha256Hex(this.#name);
    return this.#id;
  }

  /** The id of the account by another rule than that of v0.74 nodes. */
  get otherId(): string {
    this.#otherId ??= sha256Hex(this.#otherName);
    return this.#otherId;
  }
}

export interface BalanceRow {
  change: BalanceChange;
  time: Microseconds;
  account: Account;
}

function readTime(given: `${bigint}`) {
  const time = toMicroseconds(given);
  return { given, time, timestamp: toNanosecondDigits(time) };
}

/** The ids of an account: that by which v0.74 nodes sort, and that of another rule. */
export type AccountIdName = "id" | "otherId";

const inOrderOf = (id: AccountIdName) => (a: BalanceRow, b: BalanceRow) =>
  a.time - b.time || (a.account === b.account ? 0 : compare(a.account[id], b.account[id]));

const inOrder = inOrderOf("id");

/** The balance changes, sorted by block time and account id. */
export class BalanceTable {
  readonly #ids: Ids;
  readonly #accounts = new Map<string, Account>();
  /** In the order in which they were added. */
  #records: BalanceChange[] = [];
  readonly #rows: BalanceRow[] = [];
  #reordered: readonly BalanceRow[] | undefined;
  /** The last time that was read. */
  #read = readTime("0");

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  /** Adds changes; one replaces an earlier change of the same account in the same block. */
  add(changes: readonly BalanceChange[]): void {
    if (changes.length === 0) return;
    this.#reordered = undefined;
    const added = changes.map((change) => this.#toRow(change));
    for (const { change } of added) this.#records.push(change);
    const count = this.#rows.length + added.length;
    this.#insert(added.sort(inOrder));
    if (this.#rows.length === count) return;
    const kept = new Set(this.#rows.map(({ change }) => change));
    this.#records = [...new Set(this.#records)].filter((change) => kept.has(change));
  }

  /** Inserts sorted rows. Most are newer than all others, which stay where they are. */
  #insert(added: readonly BalanceRow[]): void {
    const [first] = added;
    const behind = this.#rows.splice(firstIndex(this.#rows, (row) => first === undefined || inOrder(row, first) >= 0));
    let next = 0;
    for (const row of behind) {
      for (let each = added[next]; each !== undefined && inOrder(each, row) < 0; each = added[++next]) this.#push(each);
      this.#push(row);
    }
    for (; next < added.length; next++) this.#push(added[next] as BalanceRow);
  }

  /** Of equal rows, the last one stays. */
  #push(row: BalanceRow): void {
    const before = this.#rows.at(-1);
    if (before !== undefined && inOrder(before, row) === 0) this.#rows.pop();
    this.#rows.push(row);
  }

  /** A copy, which later additions leave as it is. */
  get records(): readonly BalanceChange[] {
    return this.#records.slice();
  }

  get rows(): readonly BalanceRow[] {
    return this.#rows;
  }

  /** The rows by block time; those of one block by an id of their account. */
  sortedBy(id: AccountIdName): readonly BalanceRow[] {
    if (id === "id") return this.#rows;
    this.#reordered ??= [...this.#rows].sort(inOrderOf(id));
    return this.#reordered;
  }

  #toRow(given: BalanceChange): BalanceRow {
    // Rows of one block follow each other, and converting a time is slow.
    if (given.timestamp !== this.#read.given) this.#read = readTime(given.timestamp);
    const { time, timestamp } = this.#read;
    const change = timestamp === given.timestamp ? given : { ...given, timestamp };
    const { assetId = "", partyId = "", marketId = "", accountType = "" } = change;
    // Nodes make the id of the name also where they no longer know the type, and send its number.
    const name = `${assetId}${partyId}${marketId}${toName(enums.accountType, accountType)}`;
    const account = this.#accounts.get(name) ?? new Account(name, change, this.#ids);
    this.#accounts.set(name, account);
    return { change, time, account };
  }
}
