import type { LogLevel, ObserverEvent } from "./events.js";

/** What a runtime has that says whether to print. */
interface Runtime {
  process?: { env?: Readonly<Record<string, string | undefined>> };
  Deno?: { permissions: { querySync(descriptor: { name: "env"; variable: string }): { state: string } } };
}

const variable = "VEGA_LOG";

/** The level that the environment variable `VEGA_LOG` names, in runtimes that have one. */
export function logLevel(runtime: Runtime = globalThis as Runtime): LogLevel {
  try {
    const { process, Deno } = runtime;
    // Deno would interrupt the program and ask its user.
    if (Deno && Deno.permissions.querySync({ name: "env", variable }).state !== "granted") return "off";
    const level = process?.env?.[variable];
    return level === "debug" || level === "info" ? level : "off";
  } catch {
    return "off";
  }
}

type Observe = (event: ObserverEvent) => void;

/** Returns an observer that prints events, a line each, and calls another one; `undefined` if there is nothing to do. */
export function withLog(observe: Observe | undefined, level: LogLevel, write = print): Observe | undefined {
  if (level === "off") return observe;
  return (event) => {
    const { type, operation, attempt, node } = event;
    const isProblem = type !== "attempt" && (type !== "response" || event.error !== undefined);
    const place = node === undefined ? "" : ` on ${withoutPath(node)}`;
    if (isProblem || level === "debug") {
      write(`vegaprotocol-client: ${operation}, attempt ${attempt}${place}: ${describeEvent(event)}`);
    }
    return observe?.(event);
  };
}

/** To standard error where there is one: the output of a program is its own. */
// biome-ignore lint/suspicious/noConsole: printing is what the caller asks for.
const print = (line: string) => ("process" in globalThis ? console.error(line) : console.debug(line));

function describeEvent(event: ObserverEvent): string {
  switch (event.type) {
    case "attempt":
      return `${event.method} ${withoutPath(event.url)}`;
    case "response":
      return `${outcomeOf(event)} after ${Math.round(event.duration)} ms`;
    case "retry":
      return `next attempt in ${Math.round(event.delay)} ms`;
    case "pause":
      return `waits ${Math.round(event.delay)} ms for the rate limit`;
    case "hedge":
      return `asks ${withoutPath(event.to)} as well, after ${Math.round(event.delay)} ms without a response`;
    case "failover":
      return `turns from ${withoutPath(event.from)} to ${withoutPath(event.to)}, cause: ${event.cause}`;
  }
}

function outcomeOf({ status, error }: Extract<ObserverEvent, { type: "response" }>): string {
  if (error === undefined) return `status ${status}`;
  const { name, message } = error;
  // The messages of other errors contain a part of the body, or what a caller has thrown.
  if (name === "ConnectionError" || name === "TimeoutError") return `${name}: ${withoutPath(message)}`;
  return status === undefined ? name : `${name}, status ${status}`;
}

/** A path or a query can hold the key of a provider. */
const withoutPath = (text: string) => text.replace(/(https?:\/\/[^/?#\s]+)[^\s,)]*?(?=:?(?:[\s,)]|$))/g, "$1");
