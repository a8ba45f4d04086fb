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
