import type { ListOperation } from "../arguments/operation.js";
import type { CheckedArguments } from "../arguments/read-arguments.js";

/** What is requested of a list, and which of its records are wanted. */
export interface Selection<T> {
  filters: CheckedArguments;
  /** Default: all are. */
  isWanted?: ((record: T) => boolean) | undefined;
}

/** Takes a parameter with a name that some versions of nodes reject out of the filters: the client selects the records itself. */
export function select<T>(
  { rejectedNames }: Pick<ListOperation<T>, "rejectedNames">,
  filters: CheckedArguments,
): Selection<T> {
  if (rejectedNames === undefined) return { filters };
  const { parameter, member, names } = rejectedNames;
  const [group = "", name = ""] = parameter.split(".");
  const { [name]: wanted, ...others } = (filters[group] ?? {}) as Record<string, readonly unknown[] | undefined>;
  if (!wanted?.some((each) => (names as readonly unknown[]).includes(each))) return { filters };
  return { filters: { ...filters, [group]: others }, isWanted: (record) => wanted.includes(record[member]) };
}
