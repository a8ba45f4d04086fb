import { within } from "../async/abort.js";
import { type Batches, type CoverageReceiver, ItemIterator, ignore } from "../async/item-iterator.js";
import { ConnectionError, type Coverage, describe, VegaError } from "../errors/index.js";
import type { CallDefaults } from "../http/call-options.js";
import type { Connection } from "../http/send.js";
import { withDigits } from "../values/show.js";

export interface ClientContext {
  connection: Connection;
  defaults: CallDefaults;
}

/** Loads the code of lists and scans, which programs without them do not need. */
export async function loadLists(signal: AbortSignal | undefined): Promise<typeof import("./lists.js")> {
  try {
    return await within({ signals: [signal] }, () => import("./lists.js"));
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ConnectionError(`Part of vegaprotocol-client could not be loaded: ${describe(cause)}`, { cause });
  }
}

type Start = <Item>(open: () => Promise<Batches<Item>>) => ItemIterator<Item>;

/** A reading with the coverage of its latest loop. */
export function withCoverage<T extends object>(
  operation: string,
  readingOf: (start: Start) => T,
): T & { coverage: Promise<Coverage> } {
  let latest: Promise<Coverage> | undefined;
  const receive = (): CoverageReceiver | undefined => {
    let receiver: CoverageReceiver | undefined;
    latest = new Promise((resolve, reject) => {
      receiver = { resolve: (coverage) => resolve(withDigits(coverage)), reject };
    });
    // If the caller does not use it, its rejection must not end the process.
    latest.catch(ignore);
    return receiver;
  };
  const get = () => {
    if (!latest) receive()?.reject(new VegaError(`${operation} has no coverage before a loop`, { operation }));
    return latest;
  };
  const reading = readingOf((open) => new ItemIterator(open, receive));
  return Object.defineProperty(reading, "coverage", { get }) as T & { coverage: Promise<Coverage> };
}
