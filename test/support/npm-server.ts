import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Starts a server with a script of the project, and waits until it prints a text. Returns a function that ends it.
 *
 * @param args - Those of npm, such as `["run", "example"]`.
 */
export async function startNpmServer(args: string[], readyText: string): Promise<() => void> {
  // A group of its own, so that the server ends together with npm.
  const server = spawn("npm", args, { cwd: root, detached: true, stdio: ["ignore", "pipe", "inherit"] });
  const output = server.stdout.setEncoding("utf8");
  await new Promise<void>((resolve, reject) => {
    output.on("data", (text: string) => text.includes(readyText) && resolve());
    server.once("error", reject);
    server.once("exit", (code) => reject(new Error(`npm ${args.join(" ")} ended with ${code}.`)));
  });
  return () => {
    if (server.pid !== undefined) process.kill(-server.pid);
  };
}
