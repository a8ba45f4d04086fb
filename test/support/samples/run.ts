// Runs samples one after the other. This is a process of its own, because the setting replaces the global `fetch`.
import { pathToFileURL } from "node:url";

const log = console.log;
for (const name of ["log", "debug", "error"] as const) console[name] = () => {};
const failures: Record<string, string> = {};
for (const file of process.argv.slice(2)) {
  try {
    await import(pathToFileURL(file).href);
  } catch (error) {
    failures[file] = error instanceof Error ? `${error.message}\n${error.stack}` : String(error);
  }
}
log(JSON.stringify(failures));
process.exit();
