import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { main } from "./cli-process.js";

const run = promisify(execFile);
const has = (program: string) =>
  run("which", [program]).then(
    () => true,
    () => false,
  );
const shells = await Promise.all(["bash", "zsh", "fish", "tmux"].map(has));
const [hasBash, hasZsh, hasFish, hasTmux] = shells;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "completion-"));
  for (const shell of ["bash", "zsh", "fish"]) {
    const { stdout } = await run(process.execPath, [main, "completion", shell]);
    await writeFile(join(folder, `completion.${shell}`), stdout);
  }
  await writeFile(join(folder, "export one.csv"), "");
  await writeFile(join(folder, "tx.json"), "");
  await writeFile(join(folder, "other.json"), "");
});
afterAll(() => rm(folder, { recursive: true }));

/** What a user types, and what a shell makes of it after the tab key. */
const cases: readonly (readonly [typed: string, completed: string])[] = [
  ["bal", "balances "],
  ["balances --all", "balances --allow-incomplete "],
  ["balances --format nd", "balances --format ndjson "],
  ["balances --format=nd", "balances --format=ndjson "],
  ["balances --account-type=insu", "balances --account-type=insurance "],
  ["balances --order old", "balances --order oldest-first "],
  ["balances --columns timestamp,bal", "balances --columns timestamp,balance"],
  ["balances --columns=timestamp,bal", "balances --columns=timestamp,balance"],
  ["balances --output exp", "balances --output export\\ one.csv "],
  ["balances -o exp", "balances -o export\\ one.csv "],
  ["balances --header @tx", "balances --header @tx.json "],
  ["check t", "check tx.json "],
  ["verify exp", "verify export\\ one.csv "],
  ["follow vo", "follow votes "],
  ["follow votes --prop", "follow votes --proposal "],
  ["help follo", "help follow "],
  ["completion fi", "completion fish "],
  ["nodes --columns url,sta", "nodes --columns url,state"],
];

describe.runIf(hasTmux).each([
  ["bash", () => `bash --noprofile --rcfile ${folder}/bashrc -i`, hasBash],
  ["zsh", () => `env ZDOTDIR=${folder} zsh -i`, hasZsh],
] as const)("in a terminal with %s", (shell, start, isThere) => {
  // A server that ends does not let another one begin at its socket.
  let number = 0;
  const tmux = (...argv: string[]) =>
    run("tmux", ["-S", `${folder}-${shell}-${number}`, ...argv], { env: { ...process.env, LANG: "C.UTF-8" } });
  const lastLine = async () => (await tmux("capture-pane", "-p")).stdout.trimEnd().split("\n").at(-1) ?? "";
  const waitFor = async (text: string) => {
    for (let wait = 0; !(await lastLine()).includes(text); wait++) {
      if (wait > 200) throw new Error(`Expected "${text}" in the last line, got: ${await lastLine()}`);
      await setTimeout(20);
    }
  };

  beforeAll(async () => {
    if (!isThere) return;
    for (const name of ["bashrc", ".zshrc"]) {
      await writeFile(join(folder, name), `PS1='ready> '\n. ${folder}/completion.${shell}\n`);
    }
  });
  beforeEach(async () => {
    if (!isThere) return;
    number++;
    await tmux("-f", "/dev/null", "new-session", "-d", "-x", "150", "-y", "50", "-c", folder, start());
    await waitFor("ready>");
  });
  afterEach(async () => {
    await tmux("kill-server").catch(() => {});
  });

  test.runIf(isThere).each(cases)("the tab key completes a line: %s", async (typed, completed) => {
    await tmux("send-keys", "-l", `vegaprotocol-client ${typed}`);
    await waitFor(typed);
    await tmux("send-keys", "Tab");
    // What is typed behind the completion shows that it has ended.
    await tmux("send-keys", "-l", "#end");
    await waitFor("#end");
    const line = await lastLine();
    const found = line.replace(/^.*?vegaprotocol-client /, "").replace(/#end$/, "");
    // zsh adds what usually follows, and removes it if something else does.
    expect(shell === "zsh" ? found.replace(/,$/, "").replace(/=$/, " ") : found).toBe(completed);
  });
});

describe.runIf(hasFish)("in fish", () => {
  const complete = async (typed: string) => {
    const script = `source ${folder}/completion.fish; complete -C 'vegaprotocol-client ${typed}'`;
    const { stdout } = await run("fish", ["--no-config", "-c", script], { cwd: folder });
    return stdout.trimEnd().split("\n");
  };

  test.each(cases)("a line is completed: %s", async (typed, completed) => {
    const word = completed.trimEnd().replace("\\ ", "!").split(" ").at(-1)?.replace("!", " ");
    const found = (await complete(typed)).map((line) => line.split("\t")[0]);
    // The words of fish have no value of a flag before them, and no @.
    expect(found).toContain(found.includes(word) ? word : word?.replace(/^--[^=]*=|^@/, ""));
    expect(found).toHaveLength(1);
  });

  test("flags, commands and words have descriptions", async () => {
    expect(await complete("bal")).toEqual(["balances\tList balance changes"]);
    expect(await complete("balances --lim")).toEqual(["--limit\tPrint at most this many records"]);
  });

  test("a value that is none of a list is not completed with files", async () => {
    expect(await complete("balances --limit ")).toEqual([""]);
    expect(await complete("balances ex")).toEqual([""]);
  });
});
