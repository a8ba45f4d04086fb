import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { freePort } from "../../support/free-port.js";

const binary = fileURLToPath(new URL("node_modules/.bin/workerd", import.meta.url));

export interface Workerd {
  url: string;
  stop(): Promise<void>;
}

/**
 * Bundles a worker and serves it.
 *
 * @param file - The module of the worker. The bundle and the configuration are written beside `outfile`.
 */
export async function startWorkerd(file: string, outfile: string, compatibilityDate: string): Promise<Workerd> {
  await build({ entryPoints: [file], outfile, bundle: true, format: "esm", target: "es2022" });
  const port = await freePort();
  const config = `${outfile}.capnp`;
  await writeFile(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker", esModule = embed "${outfile.slice(dirname(outfile).length + 1)}")],
      compatibilityDate = "${compatibilityDate}",
    )),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);`,
  );
  const server = spawn(binary, ["serve", config], { cwd: join(dirname(outfile)), stdio: "inherit" });
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  await untilListening(url);
  return {
    url,
    stop: () => {
      // It would wait for the requests that it serves.
      server.kill("SIGKILL");
      return ended;
    },
  };
}

/** Connects until the server listens. */
async function untilListening(url: string): Promise<void> {
  for (let left = 100; ; left--) {
    try {
      await fetch(`${url}/up`);
      return;
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
