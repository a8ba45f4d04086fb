import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";
import { npmCi } from "../../../scripts/npm-ci.js";
import { stageCommandLine } from "../../../scripts/stage-command-line.js";
import { freePort } from "../../support/free-port.js";
import { kill, run } from "../../support/run.js";
import { installed } from "../../support/runs.js";

/** Has the registry and the package managers. */
const tools = fileURLToPath(new URL("../runtimes", import.meta.url));
const root = fileURLToPath(new URL("../../../", import.meta.url));

/** A command of these. */
export const command = (name: string): string => join(tools, "node_modules/.bin", name);

export type Registry = Awaited<ReturnType<typeof startRegistry>>;

/** Starts a registry on loopback that has the built packages, and all others from the registry of npm. */
export async function startRegistry() {
  npmCi(tools, installed);
  const folder = await mkdtemp(join(tmpdir(), "registry-"));
  const url = `http://127.0.0.1:${await freePort()}/`;
  const { stdout } = await run("npm", ["config", "get", "registry"], { cwd: root });
  const configuration = {
    storage: join(folder, "storage"),
    uplinks: { npm: { url: stdout.trim(), maxage: "60m" } },
    packages: {
      "vegaprotocol-{client,cli}": { access: "$all", publish: "$all", unpublish: "$all" },
      "**": { access: "$all", proxy: "npm" },
    },
    auth: { htpasswd: { file: join(folder, "users"), max_users: -1 } },
    log: { type: "stdout", format: "json", level: "warn" },
  };
  // YAML contains JSON.
  await writeFile(join(folder, "config.yaml"), JSON.stringify(configuration));
  // npm publishes only with a token, whatever it is.
  const settings = [`registry=${url}`, `${url.replace("http:", "")}:_authToken=none`, "audit=false", "fund=false"];
  await writeFile(join(folder, ".npmrc"), settings.join("\n"));
  const args = ["--config", join(folder, "config.yaml"), "--listen", url];
  const server = spawn(command("verdaccio"), args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  const close = async () => {
    await kill(server);
    await rm(folder, { recursive: true, maxRetries: 3 });
  };
  await vi.waitFor(() => fetch(`${url}-/ping`), { timeout: 60_000 });
  const own = Object.entries(process.env).filter(([name]) => !/^(?:npm_|VITEST|NODE_OPTIONS$)/i.test(name));
  /** Of npm, pnpm and yarn, so that they use it alone and leave no trace. */
  const environment: NodeJS.ProcessEnv = {
    ...Object.fromEntries(own),
    npm_config_userconfig: join(folder, ".npmrc"),
    npm_config_registry: url,
    npm_config_cache: join(folder, "cache"),
    npm_config_store_dir: join(folder, "store"),
    YARN_CACHE_FOLDER: join(folder, "yarn"),
    YARN_REGISTRY: url,
    HOME: folder,
  };
  // Provenance needs a workflow.
  const commandLine = join(folder, "vegaprotocol-cli");
  stageCommandLine(commandLine);
  for (const cwd of [root, commandLine]) {
    await run("npm", ["publish", "--ignore-scripts", "--provenance=false"], { cwd, env: environment });
  }
  return { environment, close };
}
