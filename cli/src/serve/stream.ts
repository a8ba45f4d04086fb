import { setImmediate as nextTurn } from "node:timers/promises";
import type { Coverage, ScanBalanceChangesArguments, ScanOptions, VegaClient } from "vegaprotocol-client";
import { coverageOf, Rejection, rejectionOf, resumeOf } from "./errors.js";
import { startOf } from "./pages.js";

/** All balance changes of a range, one on each line. The last line has the coverage, or the error of the stream. */
export async function openStream(
  client: VegaClient,
  argument: object,
  { signal, ...options }: ScanOptions & { readonly signal: AbortSignal },
  onRecords: (count: number) => void,
) {
  const { pagination = {}, ...query } = argument as ScanBalanceChangesArguments & {
    pagination?: { newestFirst?: boolean };
  };
  const { newestFirst = true, ...others } = pagination;
  const [other] = Object.keys(others);
  if (other !== undefined) throw new Rejection(3, `A stream has no pages: leave out pagination.${other}.`);
  const order = newestFirst ? "newest-first" : "oldest-first";
  const { startTimestamp, endTimestamp } = query.dateRange ?? {};
  const wantedStart = startOf(startTimestamp);
  const dateRange = { startTimestamp: wantedStart, endTimestamp };
  const scan = client.scanBalanceChanges({ ...query, dateRange }, { ...options, order, pageSize: 1000 });
  const records = scan[Symbol.asyncIterator]();
  // The scan is ended, not aborted, so that it has a coverage.
  signal.addEventListener("abort", () => void records.return(undefined));
  const missingAt = (time: bigint, { start, end }: Pick<Coverage, "start" | "end">) =>
    newestFirst
      ? { coverage: { start: time + 1n, end }, resume: { dateRange: { ...dateRange, endTimestamp: time + 1n } } }
      : { coverage: { start, end: time }, resume: { dateRange: { ...dateRange, startTimestamp: time } } };
  // An error that comes before any record has a status of its own.
  const first = await records.next();
  signal.throwIfAborted();
  return (async function* lines() {
    let [text, ofBlock, time, count] = ["", "", "", 0];
    try {
      for (let read = first; !read.done; read = await records.next()) {
        if (read.value.timestamp !== time) {
          text += ofBlock;
          ofBlock = "";
          time = read.value.timestamp;
        }
        ofBlock += `${JSON.stringify(read.value)}\n`;
        count++;
        if (text.length < 65_536) continue;
        // Lets other requests run between the parts of a stream.
        await nextTurn();
        yield Buffer.from(text);
        text = "";
      }
      if (count > 0) signal.throwIfAborted();
      text += ofBlock;
      const { start, end, block } = await scan.coverage;
      const coverage = { startTimestamp: start?.toString(), endTimestamp: end?.toString() };
      const reached = block && { height: `${block.height}`, timestamp: `${block.timestamp}` };
      const hasStart = wantedStart === undefined || start <= wantedStart;
      // Without block headers, nothing shows that the nodes have reached the end.
      const complete = hasStart && (endTimestamp === undefined || end !== undefined);
      yield Buffer.from(`${text}${JSON.stringify({ complete, records: count, coverage, block: reached })}\n`);
    } catch (error) {
      const isAborted = error === signal.reason;
      // The last block can be incomplete: `resume` begins with it.
      if (!isAborted) text += ofBlock;
      const read = isAborted ? missingAt(BigInt(time), await scan.coverage) : error;
      const body = { ...rejectionOf(error).body, ...resumeOf(read), ...coverageOf(read) };
      yield Buffer.from(`${text}${JSON.stringify({ error: body })}\n`);
    } finally {
      onRecords(count);
      await records.return(undefined);
    }
  })();
}
