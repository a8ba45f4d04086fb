import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { vi } from "vitest";
import { freePort } from "../../support/free-port.js";
import { kill } from "../../support/run.js";

const binary = fileURLToPath(new URL("node_modules/.bin/workerd", import.meta.url));

/**
 * Bundles a worker and serves it.
 *
 * @param file - The module of the worker. The bundle and the configuration are written next to `outfile`.
 */
export async function startWorkerd(file: string, outfile: string, compatibilityDate: string) {
  await build({ entryPoints: [file], outfile, bundle: true, format: "esm", target: "es2022" });
  const port = await freePort();
  const config = `${outfile}.capnp`;
  await writeFile(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker", esModule = embed "${basename(outfile)}")],
      compatibilityDate = "${compatibilityDate}",
    )),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);`,
  );
  const server = spawn(binary, ["serve", config], { cwd: dirname(outfile), stdio: "inherit" });
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => fetch(`${url}/up`), { timeout: 10_000 });
  // It would wait for the requests that it serves.
  return { url, stop: () => kill(server, "SIGKILL") };
}
