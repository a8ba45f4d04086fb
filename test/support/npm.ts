import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const cwd = fileURLToPath(new URL("../../", import.meta.url));

/** Runs npm in the folder of the project, and returns the status and the output, without the warnings of npm itself. */
export async function runNpm(args: string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn("npm", args, { cwd, env: { ...process.env, ...env } });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (text) => (output.stdout += text));
  child.stderr.on("data", (text) => (output.stderr += text));
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { status, stdout: output.stdout, stderr: output.stderr.replace(/^npm warn .*\n/gim, "") };
}

/** Starts a server with a script of the project, and waits until it prints a text. Returns a function that ends it. */
export async function startNpmServer(args: string[], readyText: string): Promise<() => void> {
  // A group of its own, so that the server ends together with npm.
  const server = spawn("npm", args, { cwd, detached: true, stdio: ["ignore", "pipe", "inherit"] });
  await new Promise<void>((resolve, reject) => {
    server.stdout.on("data", (text) => `${text}`.includes(readyText) && resolve());
    server.once("exit", (code) => reject(new Error(`npm ${args.join(" ")} ended with ${code}.`)));
  });
  return () => {
    if (server.pid !== undefined) process.kill(-server.pid);
  };
}
