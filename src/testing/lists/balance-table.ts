import type { BalanceChange } from "../../../generated/types.js";
import { sha256Hex } from "../../pagination/sha256.js";
import { accountTypeNumber } from "../enums.js";
import type { Ids } from "../ids.js";
import { toJson } from "../json.js";
import { compare } from "../sorted.js";
import { type Microseconds, toMicroseconds, toNanosecondDigits } from "../time.js";

/** An account, with the keys that filters compare. */
export class Account {
  readonly asset: string;
  readonly party: string;
  readonly market: string;
  readonly type: number;
  readonly #name: string;
  /** The JSON of the members that a cursor has of the account, but for its id. */
  readonly cursorMembers: string;
  #id: string | undefined;

  constructor(name: string, { assetId = "", partyId = "", marketId = "", accountType = 0 }: BalanceChange, ids: Ids) {
    this.asset = ids.add(assetId);
    this.party = ids.add(partyId);
    this.market = ids.add(marketId);
    this.type = accountTypeNumber(accountType) ?? 0;
    this.#name = name;
    const members = { PartyID: partyId, AssetID: assetId, MarketID: marketId, Type: this.type };
    this.cursorMembers = toJson(members).slice(1, -1);
  }

  /** The SHA-256 of the names, in hex, by which rows of one block are sorted; computed when it is first read. */
  get id(): string {
    this.#id ??= sha256Hex(this.#name);
    return this.#id;
  }
}

export interface BalanceRow {
  change: BalanceChange;
  time: Microseconds;
  account: Account;
}

const inOrder = (a: BalanceRow, b: BalanceRow) =>
  a.time - b.time || (a.account === b.account ? 0 : compare(a.account.id, b.account.id));

/** The balance changes, sorted by block time and account id. */
export class BalanceTable {
  readonly #ids: Ids;
  readonly #accounts = new Map<string, Account>();
  #records: readonly BalanceChange[] = [];
  #rows: readonly BalanceRow[] = [];

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  /** Adds changes; one replaces an earlier change of the same account in the same block. */
  add(changes: readonly BalanceChange[]): void {
    if (changes.length === 0) return;
    const added = changes.map((change) => this.#toRow(change));
    this.#records = this.#records.concat(added.map(({ change }) => change));
    const count = this.#rows.length + added.length;
    this.#rows = merge(this.#rows, [...added].sort(inOrder));
    if (this.#rows.length === count) return;
    const kept = new Set(this.#rows.map(({ change }) => change));
    this.#records = [...new Set(this.#records)].filter((change) => kept.has(change));
  }

  get records(): readonly BalanceChange[] {
    return this.#records;
  }

  get rows(): readonly BalanceRow[] {
    return this.#rows;
  }

  #toRow(given: BalanceChange): BalanceRow {
    const time = toMicroseconds(given.timestamp);
    const timestamp = toNanosecondDigits(time);
    const change = timestamp === given.timestamp ? given : { ...given, timestamp };
    const { assetId = "", partyId = "", marketId = "", accountType = "" } = change;
    const name = `${assetId}${partyId}${marketId}${accountType}`;
    const account = this.#accounts.get(name) ?? new Account(name, change, this.#ids);
    this.#accounts.set(name, account);
    return { change, time, account };
  }
}

/** Merges two sorted lists; of equal rows, the last one stays. */
function merge(rows: readonly BalanceRow[], added: readonly BalanceRow[]): BalanceRow[] {
  const last = rows.at(-1);
  // Most rows are newer than all before them; with a million rows, copying them is quick and comparing them is not.
  const isNewer = last === undefined || added[0] === undefined || inOrder(last, added[0]) < 0;
  const merged = isNewer ? rows.slice() : [];
  const push = (row: BalanceRow) => {
    const before = merged.at(-1);
    if (before !== undefined && inOrder(before, row) === 0) merged.pop();
    merged.push(row);
  };
  let next = 0;
  for (const row of isNewer ? [] : rows) {
    for (let each = added[next]; each !== undefined && inOrder(each, row) < 0; each = added[++next]) push(each);
    push(row);
  }
  for (const row of added.slice(next)) push(row);
  return merged;
}
