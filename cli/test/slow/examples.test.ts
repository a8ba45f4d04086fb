import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../../../test/support/run.js";
import { allCommands } from "../../src/command.js";
import { createProgram } from "../../src/program.js";
import { main, startFakeNode } from "../support/cli-process.js";
import { createIo } from "../support/run-cli.js";

let node: Awaited<ReturnType<typeof startFakeNode>>;
let folder: string;
beforeAll(async () => {
  node = await startFakeNode(["--port", "0", "--defects"]);
  folder = await mkdtemp(join(tmpdir(), "examples-"));
  await writeFile(join(folder, "vegaprotocol"), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, {
    mode: 0o755,
  });
});
afterAll(async () => {
  node.end();
  await rm(folder, { recursive: true });
});

/** Commands that run until they are interrupted. */
const servers = ["explore", "fake-node", "serve"];

const program = createProgram({ io: createIo([]).io, action: () => async () => {} }, () => {});
const names = allCommands(program)
  .filter((command) => command.commands.length === 0 && !["version", "help"].includes(command.name()))
  .map((command) => (command.parent === program ? [command.name()] : [command.parent?.name() ?? "", command.name()]));

/** The examples at the end of a help. */
async function examplesOf(words: readonly string[]): Promise<string[]> {
  const { stdout } = await run("vegaprotocol", ["help", ...words], options(folder));
  const [, examples = ""] = /^Examples:\n([\s\S]*?)\n\n/m.exec(stdout) ?? [];
  return examples.split(/^ {2}\$ /m).slice(1);
}

const options = (cwd: string) => ({
  cwd,
  env: { ...process.env, PATH: `${folder}:${process.env["PATH"]}`, VEGA_NODE: node.url, COLUMNS: "80" },
});

test.each([[[]], ...names.map((words) => [words])])(
  "the examples in the help of %j run against the fake node",
  async (words) => {
    const scripts = await examplesOf(words);
    expect(scripts.length).toBeGreaterThan(0);
    // No example finds the files of another command.
    const own = await mkdtemp(join(folder, "own-"));
    await writeFile(join(own, "transaction.json"), '{"pubKey": "ab"}');
    for (const script of scripts) {
      const [, name = ""] = script.trim().split(" ");
      const local = script
        .replaceAll("http://127.0.0.1:8080", node.url)
        .replaceAll("http://localhost:8080", node.url.replace("127.0.0.1", "localhost"))
        .replaceAll("--port 8080", "--port 0")
        .trimEnd();
      const isEndless = servers.includes(name) || (name === "follow" && !local.includes(" -n "));
      const { stdout: code } = await run(
        "bash",
        ["-c", `timeout --signal=INT ${isEndless ? 3 : 30} ${local} > /dev/null 2> error; echo $?`],
        options(own),
      );
      const expected = name === "check" ? 4 : isEndless ? 124 : 0;
      expect({ local, code: Number(code) }).toEqual({ local, code: expected });
    }
  },
);
