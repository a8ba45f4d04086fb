// Runs samples one after the other. This is a process of its own, because the setting and the package become globals.
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { format } from "node:util";
import { entries } from "./entries.js";
import * as setting from "./setting.js";

/** What a sample exports if it is the handler of a server. */
interface Handlers {
  GET?: Handle;
  default?: { fetch?: Handle };
}
type Handle = (request: Request, env: { NODE_URL: string }) => Promise<Response>;

const log = console.log;
for (const name of ["debug", "error"] as const) console[name] = () => {};
const failures: Record<string, string> = {};
const outputs: Record<string, string> = {};
Object.assign(globalThis, setting, ...(await Promise.all(entries.map((entry) => import(entry)))));
for (const path of process.argv.slice(2)) {
  const file = basename(path);
  console.log = (...values) => {
    outputs[file] = `${outputs[file] ?? ""}${format(...values)}\n`;
  };
  try {
    const module: Handlers = await import(pathToFileURL(path).href);
    const handle = module.GET ?? module.default?.fetch;
    const request = new Request(`https://app.example/?partyId=${setting.partyId}`);
    const response = await handle?.(request, { NODE_URL: setting.baseUrl });
    if (response && !(response.ok && (await response.text())))
      throw new Error(`Expected content, got ${response.status}.`);
  } catch (error) {
    failures[file] = error instanceof Error ? `${error.message}\n${error.stack}` : String(error);
  }
}
log(JSON.stringify({ failures, outputs }));
process.exit();
