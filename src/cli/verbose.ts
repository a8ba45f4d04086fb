import type { ObserverEvent } from "../http/events.js";
import type { Io } from "./io.js";

/** Prints what the client does, one line for each event. */
export const logEvents =
  ({ stderr }: Io) =>
  (event: ObserverEvent): void => {
    stderr.write(`${event.operation}, attempt ${event.attempt}: ${describeEvent(event)}\n`);
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
  }
}
