import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { commands } from "../../../src/cli/commands.js";
import { createClient } from "../../../src/index.js";
import { createFakeNode } from "../../../src/testing/index.js";
import { interruption, runCli } from "../../support/run-cli.js";

const node = createFakeNode({}, { checkCode: (tx) => (tx.pubKey?.startsWith("ff") ? 89 : 0) });
const { fetch } = node;
const transaction = {
  version: "TX_VERSION_V3",
  inputData: "CPXo5OmE6YSDPhDAxAfKPjMKDXZlZ2EtbWFpbm5ldBIB",
  pubKey: "ab".repeat(32),
  signature: { algo: "vega/ed25519", value: "cd".repeat(64), version: 1 },
  pow: { tid: "12".repeat(32), nonce: "7" },
};

describe("the command check", () => {
  test("exits with 4 and the reason if the node rejects the transaction, which was sent once", async () => {
    node.requests.length = 0;
    const { code, stdout, stderr } = await runCli(["check"], {
      fetch,
      stdin: JSON.stringify({ tx: { pubKey: "ab" } }),
    });
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ success: false, code: 60 });
    expect(stderr).toMatch(/^The node rejects the transaction with code 60: \S/);
    expect(node.requests.map(({ method, body }) => [method, JSON.parse(body)])).toEqual([
      ["POST", { tx: { pubKey: "ab" } }],
    ]);
  });

  test("reads the transaction from a file or from stdin, with and without the body of a request around it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "check-"));
    const file = join(folder, "tx.json");
    await writeFile(file, JSON.stringify(transaction));
    node.requests.length = 0;
    await runCli(["check", file], { fetch });
    await runCli(["check", "-"], { fetch, stdin: JSON.stringify(transaction) });
    await runCli(["check", "-"], { fetch, stdin: JSON.stringify({ tx: transaction }) });
    expect(node.requests.map(({ body }) => JSON.parse(body))).toEqual(Array(3).fill({ tx: transaction }));
    await rm(folder, { recursive: true });
  });

  test("exits with 130 if it is interrupted while it reads stdin", async () => {
    const { signal, interrupt } = interruption();
    setImmediate(interrupt);
    const silent = new Readable({ read: () => {} });
    expect(await runCli(["check"], { fetch, signal, stdin: silent })).toEqual({
      code: 130,
      stdout: "",
      stderr: "Interrupted by SIGINT.\n",
    });
  });

  test.each(["", "{", "[]", "7", '{"tx":[]}'])("exits with 2 and sends nothing for the text %j", async (stdin) => {
    node.requests.length = 0;
    const { code, stderr } = await runCli(["check"], { fetch, stdin });
    expect({ code, requests: node.requests.length }).toEqual({ code: 2, requests: 0 });
    expect(stderr).toContain("Expected stdin to hold a transaction as");
  });
});

describe("the help", () => {
  test("of the program lists all commands and fits a line of 110 characters", async () => {
    const { code, stdout } = await runCli(["--help"]);
    expect(code).toBe(0);
    for (const { name } of commands) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, "m"));
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(110);
    expect(await runCli(["help"])).toEqual({ code: 0, stdout, stderr: "" });
    expect(await runCli([])).toEqual({ code: 2, stdout, stderr: "" });
  });

  const all = commands.flatMap((command) => [command, ...(command.subcommands ?? [])]);
  test.each(all.map(({ name }) => name))("of %s names each flag and is the same for help and --help", async (name) => {
    const { code, stdout } = await runCli([...name.split(" "), "--help"]);
    expect(code).toBe(0);
    const command = all.find((each) => each.name === name);
    for (const { name, refusedBecause } of command?.flags ?? []) {
      expect(stdout.includes(`--${name}`)).toBe(refusedBecause === undefined);
    }
    expect((await runCli(["help", ...name.split(" ")])).stdout).toBe(stdout);
  });

  test("is followed by nothing else: --version prints the version alone", async () => {
    const { code, stdout } = await runCli(["--version"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
  });
});

// The bash of a Windows machine is often that of a Linux that is not installed.
describe.skipIf(process.platform === "win32")("the completions of bash", () => {
  /** What bash offers for the last word of a line. */
  async function complete(line: string): Promise<string[]> {
    const { stdout: script } = await runCli(["completion", "bash"]);
    const words = line.split(" ");
    const run = `${script}
      COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}) COMP_CWORD=${words.length - 1}
      _vegaprotocol_client; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await promisify(execFile)("bash", ["-c", run]);
    return stdout.trimEnd().split("\n");
  }

  test("are commands, flags and values of flags", async () => {
    expect(await complete("vegaprotocol-client v")).toEqual(["votes", "verify"]);
    expect(await complete("vegaprotocol-client balances --pa")).toEqual(["--party", "--partition", "--page-size"]);
    expect(await complete("vegaprotocol-client balances --order ")).toEqual(["oldest-first", "newest-first"]);
    expect(await complete("vegaprotocol-client balances --account-type vesti")).toEqual(["vesting-rewards"]);
    expect(await complete("vegaprotocol-client votes --re")).toEqual(["--retries"]);
    expect(await complete("vegaprotocol-client help ch")).toEqual(["check"]);
    expect(await complete("vegaprotocol-client completion z")).toEqual(["zsh"]);
    expect(await complete("vegaprotocol-client completion f")).toEqual(["fish"]);
    expect(await complete("vegaprotocol-client balances --output x")).toEqual([""]);
    expect(await complete("vegaprotocol-client n")).toEqual(["nodes"]);
    expect(await complete("vegaprotocol-client follow v")).toEqual(["votes"]);
    expect(await complete("vegaprotocol-client follow votes")).toEqual(["votes"]);
    expect(await complete("vegaprotocol-client follow votes --p")).toEqual([
      "--party",
      "--proposal",
      "--poll-interval",
    ]);
    expect(await complete("vegaprotocol-client follow signatures --i")).toEqual(["--id"]);
  });

  test("are values after = and names after a comma", async () => {
    expect(await complete("vegaprotocol-client balances --order = new")).toEqual(["newest-first"]);
    expect(await complete("vegaprotocol-client balances --order =")).toEqual(["oldest-first", "newest-first"]);
    expect(await complete("vegaprotocol-client balances --columns timestamp,bal")).toEqual(["timestamp,balance"]);
    expect(await complete("vegaprotocol-client balances --limit ")).toEqual([""]);
  });
});

describe("the command fake-node", () => {
  /** Starts it, and ends it after some requests. */
  async function serve(argv: readonly string[], use: (url: string) => Promise<void>) {
    const { signal, interrupt } = interruption();
    let used: Promise<void> | undefined;
    const result = await runCli(["fake-node", ...argv], {
      signal,
      onOutput: (text) => {
        used = use(text.trim()).finally(interrupt);
        return undefined;
      },
    });
    await used;
    return result;
  }

  test("prints its address and serves the records of its flags until it is interrupted", async () => {
    const { code, stdout } = await serve(["--votes", "7", "--balances", "0", "--seed", "3"], async (url) => {
      const client = createClient({ baseUrl: url });
      const { votes } = createFakeNode({ votes: 7, seed: 3 }).records;
      const listed = await client.listVotes({ proposalId: votes[0]?.proposalId ?? "" });
      expect(votes).toEqual(expect.arrayContaining(listed.nodes));
      expect(await client.listBalanceChanges().toArray()).toEqual([]);
      const response = await globalThis.fetch(`${url}/api/v2/votes?partyId=ab`, { headers: { Origin: "https://x" } });
      expect(response.headers.get("access-control-allow-origin")).toBe("https://x");
      expect(response.headers.get("ratelimit-limit")).toBe("20");
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
  });

  test("serves any number of requests with --no-rate-limit, and v0.74 pages with --defects", async () => {
    await serve(["--no-rate-limit", "--defects"], async (url) => {
      const response = await globalThis.fetch(`${url}/api/v2/parties/profiles?pagination.after=ab`);
      expect(response.headers.get("ratelimit-limit")).toBeNull();
      expect(response.ok).toBe(false);
    });
  });

  test("exits with 1 if the port is in use", async () => {
    await serve([], async (url) => {
      const { code, stderr } = await runCli(["fake-node", "--port", new URL(url).port]);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^Error: .*port/i);
    });
  });
});

describe("the line of progress", () => {
  const data = { balances: 3000 };
  const args = ["balances", "--format", "ndjson", "--page-size", "500"];
  /** A clock that moves by some time whenever it is read. */
  const clock = () => {
    let now = 0;
    return () => (now += 250);
  };

  test("shows records, rate, position and time left on a terminal, and is removed at the end", async () => {
    const { fetch } = createFakeNode(data, { rateLimit: false });
    const { stderr } = await runCli(args, { fetch, errorTerminal: 100, now: clock() });
    expect(stderr).toMatch(/^\r.\[K[\d,]+ records, [\d,]+\/s, \d+ %/);
    expect(stderr.endsWith("\r\x1b[K")).toBe(true);
  });

  test("shows nothing if stderr is no terminal, with --quiet, and between the rows of a table", async () => {
    const { fetch } = createFakeNode(data, { rateLimit: false });
    for (const [argv, terminals] of [
      [args, {}],
      [[...args, "--quiet"], { errorTerminal: 100 }],
      [args, { errorTerminal: 100, terminal: 100 }],
    ] as const) {
      expect((await runCli(argv, { fetch, ...terminals, now: clock() })).stderr).toBe("");
    }
  });
});
