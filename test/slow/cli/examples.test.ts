import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commands } from "../../../src/cli/commands.js";
import { main, startFakeNode } from "./cli-process.js";

const run = promisify(execFile);

let node: Awaited<ReturnType<typeof startFakeNode>>;
let folder: string;
beforeAll(async () => {
  node = await startFakeNode(["--defects"]);
  folder = await mkdtemp(join(tmpdir(), "examples-"));
  await writeFile(join(folder, "transaction.json"), '{"pubKey": "ab"}');
  await mkdir(join(folder, "recordings"));
  const recording = { method: "GET", path: "/api/v2/votes", status: 200, headers: [], body: "{}" };
  await writeFile(join(folder, "recordings/recordings.ndjson"), `${JSON.stringify(recording)}\n`);
  await writeFile(join(folder, "vegaprotocol-client"), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, {
    mode: 0o755,
  });
});
afterAll(async () => {
  node.end();
  await rm(folder, { recursive: true });
});

/** Commands that serve something. */
const servers = ["fake-node", "serve", "record", "replay"];

/** Older versions of Node.js refuse to keep a database. */
const hasSqlite = process.getBuiltinModule?.("node:sqlite") !== undefined;

const names = commands.flatMap(({ name, subcommands = [] }) =>
  subcommands.length > 0 ? subcommands.map((each) => each.name) : [name],
);

test.each(names)("the examples in the help of %s run against the fake node", async (name) => {
  const env = { ...process.env, PATH: `${folder}:${process.env["PATH"]}`, VEGA_NODE: node.url, COLUMNS: "80" };
  const options = { cwd: folder, env };
  const { stdout } = await run("vegaprotocol-client", ["help", ...name.split(" ")], options);
  const [, examples = ""] = /^EXAMPLES\n([\s\S]*?)\n\n/m.exec(stdout) ?? [];
  const scripts = examples.split(/^ {2}\$ /m).slice(1);
  expect(scripts.length).toBeGreaterThan(0);
  for (const script of scripts) {
    const local = script.replaceAll("http://127.0.0.1:8080", node.url).replaceAll("--port 8080", "--port 0").trimEnd();
    // A follower and a server run until they are interrupted.
    const { stdout: code } = await run(
      "bash",
      ["-c", `timeout --signal=INT 3 ${local} > /dev/null 2> error; echo $?`],
      options,
    );
    const expected =
      name === "check"
        ? 4
        : name === "sync" && !hasSqlite
          ? 2
          : servers.includes(name) || (name.startsWith("follow ") && local.includes("--output"))
            ? 124
            : 0;
    expect({ local, code: Number(code) }).toEqual({ local, code: expected });
  }
});
