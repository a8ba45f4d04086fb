import type { Pagination } from "../../generated/client.js";
import type { BalanceChangesDateRange } from "../../generated/types.js";

/**
 * The range that a scan or a loop has read, in Unix nanoseconds: every record from `start` on and before `end`. It is
 * empty if these are equal.
 */
export interface Coverage {
  /**
   * The time from which no record is missing. It is later than the start of the range if the responses do not show
   * more: a node that keeps a part of the history does not return the rest, and a list whose first record is later does
   * not show that nothing is missing.
   */
  readonly start: bigint;
  /** `undefined` if nothing shows how far the reading is complete, for example without block headers. */
  readonly end: bigint | undefined;
  /** The newest block of the responses; `undefined` if they had no block headers. */
  readonly block: { readonly height: bigint; readonly timestamp: bigint } | undefined;
}

/** Where to continue: a member of the argument of a listing or a scan, or of the options of a follower. */
export type Resume =
  | { readonly pagination: Pagination; readonly dateRange?: undefined; readonly from?: undefined }
  | { readonly dateRange: BalanceChangesDateRange; readonly pagination?: undefined; readonly from?: undefined }
  | { readonly from: FollowStart; readonly pagination?: undefined; readonly dateRange?: undefined };

/** @inline */
type FollowStart = "now" | "start" | NonNullable<BalanceChangesDateRange["startTimestamp"]>;

/**
 * Returns whether the class of a value, or one of its base classes, has a brand. A program can load this package twice,
 * as ES modules and as CommonJS, and then has two classes of each brand.
 */
function isBranded(error: unknown, brand: string): boolean {
  for (let each: object | null = Object(error).constructor; each; each = Object.getPrototypeOf(each)) {
    if ((each as { brand?: unknown }).brand === brand) return true;
  }
  return false;
}

/** Options of every {@link VegaError}, in addition to its message. */
export type VegaErrorOptions = Partial<Pick<VegaError, "operation" | "attempts">> & { cause?: unknown };

/**
 * The base class of all errors of this package.
 *
 * `VegaError.is(error)`, like `is` of every class derived from it, also recognizes errors of another copy of this
 * package.
 *
 * @example
 * ```ts
 * try {
 *   await client.getSpamStatistics({ partyId });
 * } catch (error) {
 *   if (!VegaError.is(error)) throw error;
 *   console.error(error.operation, error.message);
 * }
 * ```
 */
export class VegaError extends Error {
  protected static readonly brand: string = "vegaprotocol-client.VegaError";

  /** Returns whether a value is an error of this class, also if it comes from another copy of this package. */
  static get is(): <Class extends abstract new (...parameters: never) => unknown>(
    this: Class,
    error: unknown,
  ) => error is InstanceType<Class> {
    // biome-ignore lint/complexity/noThisInStatic: a guard of the class of which it is read.
    const { brand } = this;
    return (error): error is never => isBranded(error, brand);
  }

  /** The name of the class, such as `"ApiError"`. */
  override name: string = "VegaError";
  /** The operation that failed: the name of the client's method; for `client.http`, the method and the path. */
  declare readonly operation: string | undefined;
  /** The number of attempts of a call; 0 if nothing was sent, and for an error about the responses of several calls. */
  declare readonly attempts: number;
  /**
   * How to continue after the last record that was yielded: after a loop over a listing with this `pagination`, after a
   * scan with this `dateRange`, and after a follower with this `from`. Records before `coverage.start` were not proved,
   * and are not part of it. Those from `coverage.end` on can come again.
   *
   * @example
   * ```ts
   * if (VegaError.is(error) && error.resume) {
   *   const rest = client.listNodeSignatures({ id, ...error.resume });
   * }
   * ```
   */
  declare readonly resume?: Resume;
  /** The address of the node that the error came from, if the client has several. */
  declare readonly node?: string;
  /** The failure of each node, if a call failed on several. */
  declare readonly failures?: readonly { node: string; name: string; message: string }[];
  /** If the error ended a loop over a listing: the number of pages that were read. */
  declare readonly pagesRead?: number;
  /** If the error ended a loop over a listing: the number of records in those pages. */
  declare readonly itemsRead?: number;
  /** If the error ended a scan or a loop over a listing: the range for which the yielded records are complete. */
  declare readonly coverage?: Coverage;

  /** @param options - The cause, and members of the error. */
  constructor(message: string, options: VegaErrorOptions = {}) {
    const { cause, ...members } = options;
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, { operation: undefined, attempts: 0 }, members);
  }

  /** Returns the error as plain data, for logs: no headers, no body, no stack. */
  toJSON(): Record<string, unknown> {
    const { name, message, cause, coverage: _, failures: __, ...own } = this;
    const members = Object.entries(own).map(([key, value]) => [key, typeof value === "bigint" ? `${value}` : value]);
    const plainCause = cause === undefined ? undefined : toPlainError(cause);
    return { name, message, ...Object.fromEntries(members), cause: plainCause };
  }
}

/**
 * Replaces the frames of an error, which are inside of the client and more than are printed, by the line of its caller.
 * Called where a promise rejects that the caller awaits.
 */
export function atCaller(error: unknown): unknown {
  const { captureStackTrace } = Error as { captureStackTrace?: (error: object, hidden: unknown) => void };
  if (VegaError.is(error)) captureStackTrace?.(error, atCaller);
  return error;
}

/** The members that a layer adds to an error that passes through it. */
type ErrorContext = {
  [Name in "resume" | "node" | "failures" | "pagesRead" | "itemsRead" | "coverage" | "message"]?:
    | VegaError[Name]
    | undefined;
};

/** Adds members to an error, also of another copy of this package. A member that is `undefined` is cleared. */
export const annotate = <E extends VegaError>(error: E, known: ErrorContext): E => Object.assign(error, known);

/**
 * Returns the message of an error, with the messages of its causes that it does not contain. Node.js throws "fetch
 * failed" and keeps the specific message in the cause, or in the errors of an `AggregateError`.
 */
export const describe = (error: unknown): string =>
  // A `fetch` can reject with an error whose message is a symbol, or a getter that throws.
  unlessThrown(() => messagesOf(error).join(": ") || String(error)) ?? "an error without a readable message";

/** The beginning of a text that is too long for a message. */
export const shorten = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}…` : text;

function messagesOf(error: unknown): string[] {
  const messages: string[] = [];
  // In Jest, errors of `fetch` are of another realm. A chain of causes may lead back to its beginning.
  let each = error as Partial<AggregateError> | null | undefined;
  for (let depth = 0; each?.message !== undefined && depth < 5; each = each.cause as typeof each, depth++) {
    const inner = each.errors?.map?.((one) => String(one?.message ?? one)) ?? [];
    // Messages of OpenSSL end with a line feed.
    const own = [each.message, ...inner].filter(Boolean).join(", ").trim();
    if (!messages.some((message) => message.includes(own))) messages.push(own);
  }
  return messages.filter(Boolean);
}

export const toPlainError = (error: unknown): { name: string; message: string } => ({
  name: (error as Error | null)?.name ?? typeof error,
  message: describe(error),
});

/** The result of a function; `undefined` if it throws. */
export function unlessThrown<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
