import { parseCursor } from "../cursor.js";
import { dataNodeError } from "../errors.js";
import type { List } from "../page.js";
import { flatten, type Operation, type Parameter, type QueryValues } from "../query.js";
import { compare, rangeFrom, take } from "../sorted.js";
import { toJson } from "../wire.js";

interface RecordRow {
  record: object;
  /** The place of the record in the list, from 1. */
  place: number;
}

// v0.74 nodes have a number for each list; that of a list that was not observed is not known.
const failure = { code: 10000, message: "failed to list records" };

/**
 * A list of the description that has no table of its own: the records in their order, with reliable cursors. Parameters of the
 * query and of the path filter by the member of their name.
 *
 * @param records - From the oldest to the newest.
 * @throws {@link NodeError} with status 400 if a required parameter is missing.
 */
export function listRecords(records: readonly object[], operation: Operation, query: QueryValues): List<RecordRow> {
  const parameters = flatten(operation.arguments).filter(({ name }) => !name.startsWith("pagination."));
  checkRequired(parameters, operation, query);
  const tests = parameters.flatMap((parameter) => toTest(parameter, records, query));
  const rows = records
    .map((record, index) => ({ record, place: index + 1 }))
    .filter(({ record }) => tests.every((test) => test(record)));
  return {
    node: ({ record }) => record,
    cursor: ({ place }) => toJson({ place }),
    read(upwards, cursor, limit) {
      const at = parseCursor(cursor, { place: "number" }, failure)?.place;
      const range = rangeFrom(rows, upwards, at === undefined ? undefined : ({ place }) => compare(place, at));
      return take(rows, range, upwards, limit);
    },
  };
}

function checkRequired(parameters: readonly Parameter[], { atLeastOneOf }: Operation, query: QueryValues): void {
  const isMissing = (name: string) => query.all(name).length === 0;
  const missing = parameters.find(({ name, required }) => required && isMissing(name))?.name;
  const alternatives = atLeastOneOf?.every(isMissing) ? atLeastOneOf.join(" or ") : undefined;
  const what = missing ?? alternatives;
  if (what !== undefined) throw dataNodeError(3, { code: failure.code, message: `missing ${what}` });
}

/** The test of a filter; none if no value is given, or if no record has the member. */
function toTest({ name }: Parameter, records: readonly object[], query: QueryValues): ((record: object) => boolean)[] {
  const wanted = new Set(query.all(name).map(String));
  const member = membersOf(name).find((each) => records.some((record) => Object.hasOwn(record, each)));
  if (wanted.size === 0 || member === undefined) return [];
  return [
    (record) => {
      const value: unknown = new Map(Object.entries(record)).get(member);
      return (Array.isArray(value) ? value : [value]).some((each) => wanted.has(String(each)));
    },
  ];
}

/** The members that a parameter can stand for: `filter.partyIds` for `partyIds` or `partyId`. */
function membersOf(parameter: string): string[] {
  const name = parameter.slice(parameter.lastIndexOf(".") + 1);
  return [name, name.replace(/ies$/, "y"), name.replace(/s$/, ""), name.replace(/es$/, "")];
}
