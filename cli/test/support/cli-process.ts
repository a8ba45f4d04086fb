import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

export const main = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

/** Starts the built program. */
export const start = (argv: readonly string[], env: NodeJS.ProcessEnv = {}, program = process.execPath): ChildProcess =>
  spawn(program, [main, ...argv], { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });

/** Waits for the end of a program. */
export async function finish(child: ChildProcess) {
  const [stdout, stderr, [code, signal]] = await Promise.all([
    child.stdout ? text(child.stdout) : "",
    child.stderr ? text(child.stderr) : "",
    once(child, "close"),
  ]);
  return { code, signal, stdout, stderr };
}

/** Serves a fake node in a process of its own. */
export async function startFakeNode(argv: readonly string[]) {
  const child = start(["fake-node", ...argv]);
  const [line] = child.stdout ? await once(child.stdout, "data") : [""];
  return { url: String(line).trim(), end: () => child.kill() };
}
