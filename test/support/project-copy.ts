import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../", import.meta.url));
const author = ["-c", "user.name=Tester", "-c", "user.email=tester@example.com"];

/** A copy of the project in a temporary folder, with the same `node_modules`, and a repository with one commit. */
export interface ProjectCopy {
  readonly folder: string;
  /** Runs a command in the copy and returns its output. A failure rejects with the output of the command. */
  run(command: string, ...args: string[]): Promise<string>;
  remove(): Promise<void>;
}

/** Links the packages that are installed. Those of the project itself lead to the copy. */
async function linkModules(modules: string, folder: string): Promise<void> {
  const names = await readdir(join(root, modules)).catch(() => []);
  await mkdir(join(folder, modules));
  for (const name of names) {
    const own = { "vegaprotocol-client": "..", "vegaprotocol-cli": "../cli" }[name];
    await symlink(own ?? join(root, modules, name), join(folder, modules, name));
  }
}

export async function copyProject(): Promise<ProjectCopy> {
  const folder = await mkdtemp(join(tmpdir(), "project-copy-"));
  const skipped = ["node_modules", "dist", "site", ".git", "tools"];
  const isCopied = (file: string) => !skipped.includes(basename(file)) && file !== join(root, "reports");
  await cp(root, folder, { recursive: true, filter: isCopied });
  for (const modules of ["node_modules", "cli/node_modules"]) await linkModules(modules, folder);
  const copy: ProjectCopy = {
    folder,
    async run(command, ...args) {
      // The tests of the copy are not the suite that is running here.
      const { VITEST: _, npm_lifecycle_event: __, ...env } = process.env;
      const options = { cwd: folder, env, maxBuffer: 2 ** 26 };
      const { stdout } = await promisify(execFile)(command, args, options).catch((error) => {
        throw new Error(`${command} ${args.join(" ")} failed:\n${error.stdout}\n${error.stderr}`);
      });
      return stdout;
    },
    remove: () => rm(folder, { recursive: true }),
  };
  for (const args of [
    ["init", "--quiet"],
    ["add", "--all"],
    [...author, "commit", "--quiet", "--message", "Start"],
  ]) {
    await copy.run("git", ...args);
  }
  return copy;
}
