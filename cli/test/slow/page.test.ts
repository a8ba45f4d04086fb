import { copyFile, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createFakeNetwork, createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { listen } from "vegaprotocol-client/testing/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { page, renderCommandLine } from "../../../scripts/docs/command-line.js";
import { folderOfFile } from "../../../test/support/folder.js";
import { overDays } from "../../../test/support/over-days.js";
import { run } from "../../../test/support/run.js";
import { allCommands, pathOf } from "../../src/command.js";
import { withOtherPaths } from "../../src/fake-node.js";
import { createProgram } from "../../src/program.js";
import { main } from "../support/cli-process.js";
import { hasPostgres, usePostgres } from "../support/postgres.js";
import { createIo, runCli } from "../support/run-cli.js";

test("the output that docs/command-line.md shows is that of its commands", async () => {
  const source = await readFile(page, "utf8");
  expect(await renderCommandLine(source)).toBe(source);
});

const root = fileURLToPath(new URL("../../../", import.meta.url));
const docs = (await readdir(join(root, "docs"))).filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`);

/** The commands of the program in the blocks of a page. */
async function commandsOf(file: string): Promise<string[]> {
  const blocks = (await readFile(join(root, file), "utf8")).matchAll(/^```sh[^\n]*\n([\s\S]*?)^```/gm);
  const lines = [...blocks].flatMap(([, script = ""]) => script.replaceAll(/\\\n\s*/g, "").split("\n"));
  return lines.flatMap((line) => /^(?:npx )?vegaprotocol(?:-cli)? ([^|;#]*)/.exec(line)?.[1] ?? []);
}

/** The commands at the end of each help. */
async function examples(): Promise<string[]> {
  const program = createProgram(createIo([]).io, () => {});
  const helps = allCommands(program).map(async (command) => {
    const { stdout } = await runCli([...pathOf(command).split(" "), "--help"].filter(Boolean));
    const [, text = ""] = /^Examples:\n([\s\S]*?)\n(?:\n|$)/m.exec(stdout) ?? [];
    const found = text.replaceAll(/ \\\n\s*/g, " ").split(/^ {2}\$ vegaprotocol /m);
    return found.slice(1).map((example) => example.trim());
  });
  return (await Promise.all(helps)).flat();
}

// The page of the command line is also run as a whole, and its errors are meant.
const all = await Promise.all(["README.md", "cli/README.md", ...docs].map(commandsOf));
const isError = (command: string) => /^balnces|--limt|--order newest$|february|today|all\.csv/.test(command);
const commands = [
  ...new Set([...all.flat(), ...(await examples())].map((command) => command.replace(/ &?\s*$/, ""))),
].filter((command) => !isError(command));

const source = createFakeNode({ balances: 3000, votes: 300, signatures: 40, profiles: 9 });
const data = { ...source.records, balances: overDays(source.records.balances, 60n) };

let servers: Awaited<ReturnType<typeof listen>>[];
const urlOf = (index: number) => servers[index]?.url ?? "";
const database = usePostgres();
const path = await folderOfFile();
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  const network = createFakeNetwork({ nodes: 2, ...data }, { defects: nodeDefects, rateLimit: false });
  servers = await Promise.all(network.nodes.map((each) => listen(withOtherPaths(each))));
  const shim = `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`;
  await writeFile(path("vegaprotocol"), shim, { mode: 0o755 });
  const [change] = data.balances;
  env = {
    ...process.env,
    PATH: `${path()}:${process.env["PATH"]}`,
    VEGA_NODE: urlOf(0),
    asset: change?.assetId,
    ASSET: change?.assetId,
    PARTY: change?.partyId,
    party: change?.partyId,
  };
  for (const command of ["balances -o balances.ndjson", "votes --party $PARTY -o votes.ndjson", "sync vega.db"]) {
    await run("bash", ["-c", `vegaprotocol ${command} --quiet`], { cwd: path(), env });
  }
});
afterAll(() => Promise.all(servers.map((server) => server.close())));

test("the pages have commands", () => {
  expect(commands.length).toBeGreaterThan(80);
});

test.for(commands)("vegaprotocol %s", async (command, { skip }) => {
  if (command.includes("postgres://")) skip(!hasPostgres, "PostgreSQL is not installed.");
  await database()?.sql("DROP SCHEMA IF EXISTS vega CASCADE");
  const own = await mkdtemp(path("own-"));
  await writeFile(join(own, "transaction.json"), '{"pubKey": "ab"}');
  const inputs = command.matchAll(/--from(?:-db)? (\S+\.(?:ndjson|db)\S*)|(vega\.db) .*--check|explore (vega\.db)/g);
  for (const [, ...names] of inputs) {
    const name = names.find(Boolean) ?? "";
    await copyFile(path(name), join(own, name));
  }
  const local = command
    .replaceAll(/https:\/\/(?:b|other)\.example/g, urlOf(1))
    .replaceAll("http://localhost:8080", urlOf(1))
    .replaceAll(/https:\/\/\w+\.example|(?:http:\/\/127\.0\.0\.1|localhost):8080/g, urlOf(0))
    .replaceAll(/--port \d+/g, "--port 0")
    .replace(/^serve (?!.*--port)/, "serve --port 0 ")
    .replaceAll(/postgres:\/\/user@db\.example\/vega/g, database()?.url ?? "");
  const isEndless = /^(?:explore|fake-node|serve)\b|--follow\b|^follow (?!.*-n )/.test(command);
  const script = `timeout --signal=INT ${isEndless ? 4 : 60} vegaprotocol ${local} > /dev/null 2> error; echo $?`;
  const { stdout } = await run("bash", ["-c", script], { cwd: own, env });
  const message = await readFile(join(own, "error"), "utf8");
  const code = /^check\b|--sent-by-block/.test(command) ? 4 : isEndless ? 124 : 0;
  expect([Number(stdout), message]).toEqual([code, message]);
});
