import type { BalanceChangesDateRange, BalanceChangesFilter } from "../../../generated/types.js";
import type { VegaClient } from "../../client/client.js";
import { VegaError } from "../../errors/index.js";
import type { Coverage } from "../../values/coverage.js";
import { readParameters } from "./arguments.js";
import { errorOf, Rejection } from "./replies.js";
import type { Route } from "./routes.js";

/** The media type that requests a stream. */
export const ndjson = "application/x-ndjson";

/** How much text is sent at once, in characters. */
const chunkSize = 65_536;

/** How much memory the records of one stream may take that the caller has not read yet, in bytes. */
const maxBufferedBytes = 16 * 2 ** 20;

/**
 * All balance changes of a range, one on each line. The last line says that the range is complete, or has the error that ended it.
 *
 * @param hide - Replaces the addresses of nodes.
 * @throws what ends the scan before its first record.
 */
export async function openStream(
  client: VegaClient,
  { operation }: Route,
  query: URLSearchParams,
  { signal, hide }: { signal: AbortSignal; hide: (text: string) => string },
): Promise<AsyncIterable<string>> {
  const { pagination, ...rest } = readParameters(operation, query) as {
    pagination?: Record<string, unknown>;
    filter?: BalanceChangesFilter;
    dateRange?: BalanceChangesDateRange;
  };
  const { newestFirst = true, ...others } = pagination ?? {};
  const [other] = Object.keys(others);
  if (other !== undefined) throw new Rejection(3, `A stream has no pages: leave out pagination.${other}.`);
  if (typeof newestFirst !== "boolean") throw new Rejection(3, "Expected pagination.newestFirst to be true or false.");
  const order = newestFirst ? "newest-first" : "oldest-first";
  const scan = client.scanBalanceChanges(rest, { order, maxBufferedBytes, signal });
  const records = scan[Symbol.asyncIterator]();
  // An error that comes before any record has a status of its own.
  const first = await records.next();
  return (async function* lines() {
    let text = "";
    let count = 0;
    try {
      for (let read = first; !read.done; read = await records.next()) {
        text += `${JSON.stringify(read.value)}\n`;
        count++;
        if (text.length < chunkSize) continue;
        yield text;
        text = "";
      }
      yield `${text}${JSON.stringify(completion(count, await scan.coverage))}\n`;
    } catch (error) {
      yield `${text}${JSON.stringify({ error: { ...errorOf(error, hide), ...resumeOf(error) } })}\n`;
    } finally {
      await records.return(undefined);
    }
  })();
}

const completion = (records: number, { start, end, block }: Coverage) => ({
  complete: true,
  records,
  dateRange: { startTimestamp: start?.toString(), endTimestamp: end?.toString() },
  block: block && { height: `${block.height}`, timestamp: `${block.timestamp}` },
});

/** The range of what is missing. */
function resumeOf(error: unknown): object {
  const { startTimestamp, endTimestamp } = (VegaError.is(error) && error.resume) || {};
  if (startTimestamp === undefined && endTimestamp === undefined) return {};
  return { resume: { startTimestamp: startTimestamp?.toString(), endTimestamp: endTimestamp?.toString() } };
}
