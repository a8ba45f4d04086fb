import type { FollowEvent } from "../follow/index.js";
import type { ObserverEvent } from "../http/events.js";
import type { Io } from "./io.js";
import { printMessage } from "./message.js";

/** Prints what the client does, one line for each event. */
export const logEvents =
  (io: Io) =>
  (event: ObserverEvent): void => {
    const node = event.node === undefined ? "" : ` on ${event.node}`;
    printMessage(io, `${event.operation}, attempt ${event.attempt}${node}: ${describeEvent(event)}`);
  };

function describeEvent(event: ObserverEvent): string {
  switch (event.type) {
    case "attempt":
      return `${event.method} ${event.url}`;
    case "response": {
      const outcome = event.error === undefined ? `status ${event.status}` : event.error.message;
      return `${outcome} after ${Math.round(event.duration)} ms`;
    }
    case "retry":
      return `retried in ${Math.round(event.delay)} ms: ${event.error.message}`;
    case "pause":
      return `held back for ${Math.round(event.delay)} ms to stay within the rate limit`;
    case "failover":
      return `turned from ${event.from} to ${event.to}: ${event.error?.message ?? event.cause}`;
    case "hedge":
      return `also asked ${event.to} after ${Math.round(event.delay)} ms without a response of ${event.from}`;
  }
}

/** Prints each poll of a follower that is repeated or ignored, one line for each event. */
export const logFollowEvents =
  (io: Io) =>
  (event: FollowEvent): void => {
    const what =
      event.type === "retry"
        ? `poll failed, repeated in ${Math.round(event.delay)} ms: ${event.error.message}`
        : `ignored a response of block ${event.block.height}, which is before block ${event.newest.height}`;
    printMessage(io, `${event.operation}: ${what}`);
  };
