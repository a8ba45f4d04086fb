import { connect, type NodePool } from "../../../src/client/node-pool.js";
import { connectTo } from "../../../src/http/send.js";
import { createPool } from "../../../src/pool/node-pool.js";
import { ManualClock } from "../manual-clock.js";

/** A clock on which a timer takes a millisecond at least, as those of runtimes do. */
export class WorldClock extends ManualClock {
  /** How many timers were to fire at once. */
  immediate = 0;

  override after(milliseconds: number, callback: () => void): () => void {
    if (milliseconds <= 0) this.immediate++;
    return super.after(Math.max(1, milliseconds), callback);
  }
}

/** A client's connection to one address on a manual clock, as `createClient` makes it for an address. */
export function addressOn(url: string, clock: ManualClock, random: () => number): NodePool {
  return { ...createPool([url], {}, clock, random), [connect]: (options) => connectTo(options, clock, random) };
}
