import { within } from "../async/abort.js";
import { type Batches, type CoverageReceiver, ItemIterator, ignore } from "../async/item-iterator.js";
import { ConnectionError, type Coverage, describe } from "../errors/index.js";
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

/** The loops over a list or a scan. The coverage of the first one that is used is a promise. */
export function createLoops() {
  let receiver: CoverageReceiver | undefined;
  const coverage = new Promise<Coverage>((resolve, reject) => {
    receiver = { resolve: (coverage) => resolve(withDigits(coverage)), reject };
  });
  // If the caller does not use it, its rejection must not end the process.
  coverage.catch(ignore);
  const takeReceiver = () => {
    const taken = receiver;
    receiver = undefined;
    return taken;
  };
  return { coverage, start: <Item>(open: () => Promise<Batches<Item>>) => new ItemIterator(open, takeReceiver) };
}
