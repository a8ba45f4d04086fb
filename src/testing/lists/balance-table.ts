import type { BalanceChange } from "../../../generated/types.js";
import { sha256Hex } from "../../sha256.js";
import type { Ids } from "../ids.js";
import { accountTypeNumber } from "../parameters.js";
import { compare } from "../sorted.js";
import { type Microseconds, toMicroseconds, toNanosecondDigits } from "../time.js";

/** An account, with the keys that filters compare. */
export class Account {
  readonly asset: string;
  readonly party: string;
  readonly market: string;
  readonly type: number;
  readonly #name: string;
  #id: string | undefined;

  constructor(name: string, { assetId = "", partyId = "", marketId = "", accountType = 0 }: BalanceChange, ids: Ids) {
    this.asset = ids.add(assetId);
    this.party = ids.add(partyId);
    this.market = ids.add(marketId);
    this.type = accountTypeNumber(accountType) ?? 0;
    this.#name = name;
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
    const all = merge(this.#rows, [...added].sort(inOrder));
    const isLast = (row: BalanceRow, index: number) => {
      const next = all[index + 1];
      return next === undefined || inOrder(row, next) !== 0;
    };
    this.#rows = all.filter(isLast);
    this.#records = [...this.#records, ...added.map(({ change }) => change)];
    if (this.#rows.length === all.length) return;
    const kept = new Set(this.#rows.map(({ change }) => change));
    this.#records = this.#records.filter((change) => kept.has(change));
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

/** Merges two sorted lists; of equal rows, the added one comes last. */
function merge(rows: readonly BalanceRow[], added: readonly BalanceRow[]): BalanceRow[] {
  const merged: BalanceRow[] = [];
  let next = 0;
  for (const row of rows) {
    for (let each = added[next]; each !== undefined && inOrder(each, row) < 0; each = added[++next]) merged.push(each);
    merged.push(row);
  }
  return merged.concat(added.slice(next));
}
