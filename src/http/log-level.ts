import { ignore } from "../async/item-iterator.js";
import type { LogLevel, Observe } from "./events.js";
import { onDemand } from "./on-demand.js";

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

const load = onDemand(() => import("./log.js"));

/** Returns an observer that prints events, a line each, and calls another one; `undefined` if there is nothing to do. */
export function withLog(
  observe: Observe | undefined,
  level: LogLevel,
  write?: (line: string) => void,
): Observe | undefined {
  if (level === "off") return observe;
  return (event) => {
    const code = load();
    const print = ({ logEvent }: Awaited<typeof code>) => logEvent(event, level, write);
    // Without the code, as when its server does not respond, nothing is printed.
    if (code instanceof Promise) code.then(print, ignore);
    else print(code);
    return observe?.(event);
  };
}
