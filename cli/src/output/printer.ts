import { type Flags, screenful } from "../flags.js";
import { count, type Io, printMessage } from "../io.js";
import { createProgress } from "../progress.js";
import type { Encoder, WireRecord } from "./columns.js";
import { openOutput, type Target } from "./file.js";

const batchSize = 1000;

export type Printer = ReturnType<typeof createPrinter>;

/**
 * Prints records to stdout or to a file, in batches, while the next records are read. A batch is also written when no
 * further record has arrived, so that the first line does not wait for a full batch.
 *
 * @param isScan - Whether records are in order of time. An incomplete file that stays has whole blocks then.
 */
export function createPrinter(io: Io, flags: Flags, encoder: Encoder, target: Target | undefined, isScan = false) {
  const isPart = [flags.from, flags.to, flags.limit].some((each) => each !== undefined);
  const output = openOutput(io, target, flags.force, isPart);
  const isByBlock = isScan && target !== undefined;
  const isTerminal = target === undefined && io.stdout.isTTY === true;
  const isScreen = isTerminal && flags.limit === undefined && flags.format === undefined;
  // A line of progress would appear between the rows of a table.
  const progress = createProgress(io, flags, !isTerminal);
  const batch: WireRecord[] = [];
  /** The records of the batch that can be written: a block is complete once a record of another time follows. */
  let ready = 0;
  let { head } = encoder;
  /** The writes so far, and those that nobody has waited for. */
  let writing = Promise.resolve();
  let unseen: Promise<void> | undefined;
  let timer: NodeJS.Immediate | undefined;
  let [read, written] = [0, 0];
  let hasEnded = false;

  function flush(hasEnd = false): void {
    clearImmediate(timer);
    timer = undefined;
    const records = batch.splice(0, ready);
    ready = 0;
    if (records.length === 0 && head === "" && !hasEnd) return;
    // It is unknown how much a failed write has written: nothing is written after it. An encoder can refuse a record.
    writing = writing.then(async () => {
      const text = `${head}${encoder.encode(records)}${hasEnd ? encoder.end() : ""}`;
      head = "";
      if (text !== "") await output.write(text);
      written += records.length;
      progress.update(written, records.at(-1)?.["timestamp"]);
    });
    unseen = writing;
    writing.catch(() => {});
  }

  async function end(hasFailed = false): Promise<void> {
    if (!hasFailed) ready = batch.length;
    // A partial file is closed as well, so that it can be read. A reading can turn out to be incomplete after its end.
    flush(!hasEnded && (!hasFailed || target !== undefined));
    hasEnded = true;
    await writing.finally(() => progress.clear());
  }

  return {
    /** How many records to read: one more than a screenful shows whether there are more. */
    limit: isScreen ? screenful + 1 : flags.limit,
    read: () => read,
    /** How many records were written, and the time of the block that is not complete, and not written. */
    written: () => ({ records: written, time: batch[0]?.["timestamp"] }),
    /** Returns a promise to wait for if something is being written: the memory stays bounded. */
    add(record: WireRecord): Promise<void> | undefined {
      if (++read > screenful && isScreen) return undefined;
      if (isByBlock && record["timestamp"] !== batch.at(-1)?.["timestamp"]) ready = batch.length;
      batch.push(record);
      if (!isByBlock) ready = batch.length;
      if (batch.length >= batchSize) flush();
      // Records that have arrived are yielded in microtasks: this runs when the next one has not arrived.
      else timer ??= setImmediate(() => flush());
      const wait = unseen;
      unseen = undefined;
      return wait;
    },
    end: () => end(),
    finish: output.finish,
    /** Writes the records before an error. Returns the name of the file that has them, if it is kept. */
    async stop(canContinue = false): Promise<string | undefined> {
      await end(true).catch(() => {});
      return output.stop(isByBlock && canContinue && written > 0);
    },
    printNotes(which: "first" | "newest", notes: readonly string[], what = count(read, "record")): void {
      const more = `The ${which} ${screenful} records. For more: -n N, -o FILE, or --format ndjson|csv|json.`;
      const all = [
        ...notes,
        ...(target ? [`${target.name}: ${what}.`] : []),
        ...(target === undefined && read === 0 ? ["No records."] : []),
        ...(isScreen && read > screenful ? [more] : []),
      ];
      for (const note of flags.quiet ? [] : all) printMessage(io, note);
    },
  };
}
