import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { firstOutput } from "../../../test/support/run.js";

export const main = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

/** Starts the built program. */
export const start = (argv: readonly string[], env: NodeJS.ProcessEnv = {}, program = process.execPath) =>
  spawn(program, [main, ...argv], { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });

/** Waits for the end of a program. */
export async function finish(child: ReturnType<typeof start>) {
  const streams = [text(child.stdout), text(child.stderr)] as const;
  const [stdout, stderr, [code, signal]] = await Promise.all([...streams, once(child, "close")]);
  return { code, signal, stdout, stderr };
}

/** Kills a program after a time, unless it has ended by then. */
export async function finishWithin(milliseconds: number, child: ReturnType<typeof start>) {
  const ended = finish(child);
  await Promise.race([ended, setTimeout(milliseconds)]);
  child.kill("SIGKILL");
  return ended;
}

/** Serves a fake node in a process of its own. */
export async function startFakeNode(argv: readonly string[]) {
  const child = start(["fake-node", ...argv]);
  return { url: await firstOutput(child), end: () => child.kill() };
}
