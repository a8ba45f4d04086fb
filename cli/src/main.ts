#!/usr/bin/env node
import { setFlagsFromString } from "node:v8";
import { Interruption, type Io, interruptSignals } from "./io.js";
import { run } from "./program.js";

// Since Node.js 24, V8 keeps up to 128 MiB of new objects, and four times the old ones: an export took 400 MiB.
if (!/^v2[02]\./.test(process.version))
  for (const each of ["--semi-space-growth-factor=1", "--heap-growing-percent=200"]) setFlagsFromString(each);
// Deprecation warnings concern libraries: people who run a command cannot act on them.
process.noDeprecation = true;
const controller = new AbortController();
/** A second signal after these milliseconds ends the process at once: `timeout` and npx send each signal twice. */
const patience = 1000;
let interruptedAt = Number.POSITIVE_INFINITY;
for (const name of interruptSignals) {
  process.on(name, () => {
    const interruption = new Interruption(name);
    if (performance.now() - interruptedAt > patience) {
      // `process.exit` waits for system calls, such as a write to a named pipe that no program reads.
      if (process.platform !== "win32") process.removeAllListeners(name).kill(process.pid, name);
      process.exit(interruption.exitCode);
    }
    if (controller.signal.aborted) return;
    interruptedAt = performance.now();
    controller.abort(interruption);
  });
}

const { argv, env, stdin, stdout, stderr } = process;
// A closed stderr, such as with `2>&1 | head`, must not end an export.
stderr.on("error", () => {});
const now = () => performance.now();
const io: Io = { argv: argv.slice(2), env, stdin, stdout, stderr, now, signal: controller.signal };
process.exitCode = await run(io);
// A read of stdin, or a pipe that no program reads, would keep an interrupted process alive.
if (controller.signal.aborted) process.exit();
