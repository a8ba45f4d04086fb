export type Row = Record<string, unknown>;

/** A record, and the list that it belongs to. */
export interface ListedRow {
  readonly name: string;
  readonly record: Row;
}
