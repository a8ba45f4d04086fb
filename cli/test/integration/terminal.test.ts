import { readFile, writeFile } from "node:fs/promises";
import { createFakeNode } from "vegaprotocol-client/testing";
import { describe, expect, test } from "vitest";
import { run as runProgram } from "../../../test/support/run.js";
import { ended, interruption, isWindows, runCli, useFolder } from "../support/run-cli.js";

const path = useFolder();
const node = createFakeNode({ balances: 9 }, { rateLimit: false });
const { fetch } = node;

test("an error has colors with FORCE_COLOR alone, or on a terminal", async () => {
  const isColored = async (env: Record<string, string>, errorTerminal?: number) =>
    (await runCli(["balnces"], { env, ...(errorTerminal && { errorTerminal }) })).stderr.includes("\u001b[31m");
  expect([await isColored({}), await isColored({ FORCE_COLOR: "1" })]).toEqual([false, true]);
  expect([await isColored({}, 80), await isColored({ FORCE_COLOR: "0" }, 80)]).toEqual([true, false]);
  expect(await isColored({ FORCE_COLOR: "1", NO_COLOR: "1" }, 80)).toBe(false);
});

describe("vegaprotocol.toml", () => {
  const run = async (config: string, line: string, node?: string) => {
    const file = path("vega.toml");
    await writeFile(file, config);
    const result = await runCli(line.split(" "), { fetch, env: { VEGA_CONFIG: file, VEGA_NODE: node } });
    return { ...result, stdout: result.stdout.split("\r\n") };
  };
  const onNode = (config: string, line: string) => run(config, line, "https://a.example");
  const config =
    '[nodes]\nmain = ["https://a.example", "https://b.example"]\ntest = "https://t.example"\n' +
    '[defaults]\nnode = "main"\nformat = "csv"\npacing = false\n[balances]\nlimit = 2\naccount-type = ["general", "margin"]\n';

  test("has named nodes and defaults, which flags and VEGA_NODE override", async () => {
    const hosts = (requests: typeof node.requests) => new Set(requests.map(({ url }) => new URL(url).host));
    const typesOf = ({ url } = { url: "" }) => new URL(url).searchParams.getAll("filter.accountTypes");
    const { code, stdout } = await run(config, "balances --columns timestamp");
    expect([code, stdout.length, stdout[0]]).toEqual([0, 4, "timestamp"]);
    const sent = node.requests.splice(0);
    expect([...hosts(sent)].every((host) => /^[ab]\.example$/.test(host))).toBe(true);
    expect(typesOf(sent[0])).toEqual(["ACCOUNT_TYPE_GENERAL", "ACCOUNT_TYPE_MARGIN"]);
    await run(config, "balances --node test --limit 1 --account-type bond");
    const own = node.requests.splice(0);
    expect([hosts(own), typesOf(own.at(-1))]).toEqual([new Set(["t.example"]), ["ACCOUNT_TYPE_BOND"]]);
    await run(config, "nodes", "https://v.example");
    expect(hosts(node.requests)).toEqual(new Set(["v.example"]));
  });

  test("can have an array for a flag that takes names separated by commas", async () => {
    const text = '[balances]\ncolumns = ["timestamp", "balance"]\nformat = "csv"\nlimit = [1, 2]\n';
    const columns = text.replace("limit = [1, 2]\n", "");
    expect((await onNode(columns, "balances -n 1")).stdout[0]).toBe("timestamp,balance");
    const range = '[series]\nfrom = "2024-02-09T16:54:30Z"\nto = "2024-02-09T16:54:45Z"\n';
    const grouped = await onNode(`${range}format = "csv"\ngroup-by = ["party", "market"]\n`, "series");
    expect(grouped.stdout[0]).toBe("time,balance,unit,partyId,assetId,marketId");
    expect(await onNode(text, "balances")).toMatchObject(
      ended(2, 'Expected --limit to be an integer of at least 1, got "1,2".'),
    );
  });

  test("can have a node of any name, which is no flag of the command `nodes`", async () => {
    const { code, stdout } = await run('[nodes]\ncolumns = "https://c.example"\noutput = []\n', "nodes --node columns");
    expect([code, stdout.join()]).toEqual([0, expect.stringContaining("https://c.example")]);
  });

  test("refuses a name that no node has, and suggests one", async () => {
    const message = 'There is no node "mains" in the configuration. Did you mean main?';
    expect(await run(config, "balances --node mains")).toMatchObject(ended(2, message));
    expect(await run(config, "balances --node localhost")).toMatchObject({ code: 0 });
  });

  test("can have flags that a command requires", async () => {
    const { votes } = createFakeNode({ votes: 1 }).records;
    const text = `[limits]\nparty = "${votes[0]?.partyId}"\ncommand = "other"\n`;
    expect((await onNode(text, "limits")).stdout.join()).toContain("isAllowed");
    const own = await onNode(text, "limits --party network --command vote");
    expect(own.stderr).toBe("Error: --command vote requires --proposal.\n");
  });

  test("can have flags of other runs", async () => {
    const text = `[sync]\npoll-interval = "1s"\nmetrics = 0\nproposal = "${"ab".repeat(32)}"\n`;
    const { code, stdout } = await onNode(text, `sync ${path("vega.db")} --dry`);
    expect([code, stdout.join()]).toEqual([0, expect.stringContaining("Nothing is written to")]);
    const stored = await onNode(text, `sync ${path("vega.db")}`);
    expect(stored).toMatchObject({ code: 0, stderr: expect.not.stringContaining("Metrics") });
  });

  test("can have a range of balance changes, which is not the range of balances at a time", async () => {
    const text = '[balances]\nfrom = "2024-02-10"\nformat = "csv"\n';
    const { code, stdout } = await onNode(text, "balances --at 2024-02-09T16:54:55Z");
    expect([code, stdout[0]?.slice(0, 8)]).toEqual([0, "balance,"]);
  });

  test("can have a format, which the extension of a file overrides", async () => {
    for (const [name, start] of Object.entries({ "x.json": "[", x: "timestamp,", "x.csv.gz": "\u001f" })) {
      const { code, stderr } = await run(config, `balances -n 1 -o ${path(name)}`);
      expect([name, code, stderr]).toEqual([name, 0, expect.stringContaining("1 record.")]);
      expect((await readFile(path(name), "latin1")).startsWith(start)).toBe(true);
    }
  });

  test("cannot set files to write, headers to send and servers to log in to, unless VEGA_CONFIG names it", async () => {
    const before = process.cwd();
    process.chdir(path("."));
    try {
      for (const flag of ["output", "header"]) {
        await writeFile("vegaprotocol.toml", `[balances]\n${flag} = "@x.csv"\n`);
        const message = `Pass --${flag}, or name the file in VEGA_CONFIG: vegaprotocol.toml in the working folder cannot set it.`;
        expect(await runCli(["balances"], { fetch })).toMatchObject(ended(2, message));
        expect(await runCli(["balances", `--${flag}`, "A: x.csv"], { fetch })).toMatchObject({ code: 0 });
      }
      expect((await onNode('[balances]\noutput = "named.csv"\n', "balances")).code).toBe(0);
      await writeFile("vegaprotocol.toml", '[defaults]\ndb = "postgres://127.0.0.1:1/vega"\nfrom-db = "none.db"\n');
      const refused = "Pass --db, or name the file in VEGA_CONFIG";
      expect(await runCli(["balances", "--at", "2024"], { fetch })).toMatchObject(ended(2, refused));
      expect(await runCli(["sync", "x.db"], { fetch })).toMatchObject(ended(2, "there is no none.db"));
    } finally {
      // Windows does not remove the working folder.
      process.chdir(before);
    }
  });

  test("is no folder", async () => {
    const stderr = "Error: Cannot read .: it is a folder.\n";
    expect(await runCli(["nodes"], { env: { VEGA_CONFIG: "." } })).toMatchObject({ code: 2, stderr });
  });

  test.each(["version", "completion bash"])("is not read by %s, which has no flags that it could set", async (line) => {
    expect(await run("not TOML", line)).toMatchObject({ code: 0, stderr: "" });
  });

  test("is the file of the folder if VEGA_CONFIG is empty, like other variables that are not set", async () => {
    expect(await runCli(["completion", "bash"], { env: { VEGA_CONFIG: "" } })).toMatchObject({ code: 0, stderr: "" });
  });

  test("can have defaults that only some of the commands take", async () => {
    const text = '[defaults]\nfrom = "start"\nformat = "html"\n';
    expect((await onNode(text, "balances -n 1")).stdout.join()).toContain("<html");
    expect((await onNode(text, "follow balances -n 1")).stdout.join()).toMatch(/^\{.*\}\n$/);
  });

  test("has no effect on flags that exclude each other", async () => {
    const { code, stdout } = await onNode('[balances]\nat = "now"\n', "balances --limit 3 --format csv");
    expect([code, stdout.length]).toEqual([0, 5]);
  });

  test("can have dates without quotes", async () => {
    const text = '[balances]\nfrom = 2024-02-10\nto = 2024-02-10T10:00:00Z\ncatch-up = "1ms"\n';
    expect(await onNode(text, "balances")).toMatchObject({ code: 3 });
    const since = new URL(node.requests.at(-1)?.url ?? "").searchParams;
    expect(since.get("dateRange.startTimestamp")).toBe(`${BigInt(Date.UTC(2024, 1, 10)) * 1_000_000n}`);
  });

  test.each([
    ["[balances]\nlimt = 1", 'Unknown flag "limt" of [balances] in FILE. Did you mean limit?'],
    ["[balnces]\nlimit = 1", "Unknown section [balnces] in FILE. Did you mean balances?"],
    ["[defaults.balances]\nlimit = 1", "Unknown section [defaults.balances] in FILE. Did you mean balances?"],
    ["[balances]\nlimit = -1", 'Expected --limit to be an integer of at least 1, got "-1". The flag is set in FILE.'],
    ["[defaults]\nlimit = -1", 'Expected --limit to be an integer of at least 1, got "-1". The flag is set in FILE.'],
    ['[balances]\nfrom = "start"', 'got "start". The flag is set in FILE.'],
    ["[defaults]\ncomplete-history = true", "--complete-history requires --at. The flag is set in FILE."],
    ['[defaults]\ncolumns = "value"', "accountType. The flag is set in FILE."],
    ["limit = 1", 'Expected "limit" to be in a section, such as [defaults].'],
    ["from = 2024-02-09", 'Expected "from" to be in a section, such as [defaults].'],
    ["\n[balances", "Cannot read FILE, line 2, column 2: Invalid TOML document"],
    ["[nodes]\nmain = 5", 'Expected "main" of [nodes] to be an address, or several, such as ["https://a.example"].'],
    [
      '[nodes]\n"node.example" = "https://a.example"',
      'Expected "node.example" of [nodes] to be a name of letters, digits',
    ],
    ['[nodes]\nlocalhost = "https://a.example"', 'Expected "localhost" of [nodes] to be a name'],
    ["[balances]\nlimit = { a = 1 }", 'Expected --limit to be a value, or an array of values, got {"a":1}.'],
    ['[balances]\ncolumns = [["a"]]', 'Expected --columns to be a value, or an array of values, got [["a"]].'],
    ['[balances]\nforce = "yes"', 'Expected "force" of FILE to be true or false, got "yes".'],
  ])("is refused: %j", async (text, message) => {
    const result = await onNode(text, "balances");
    expect(result).toMatchObject(ended(2, message.replace("FILE", path("vega.toml"))));
  });
});

describe("completion", () => {
  test.skipIf(isWindows)("in bash leads to commands, flags and values", async () => {
    const { stdout } = await runCli(["completion", "bash"]);
    const complete = async (...words: string[]) => {
      const script = `${stdout}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _vegaprotocol; echo "\${COMPREPLY[*]}"`;
      return (await runProgram("bash", ["-c", script, "bash", "vegaprotocol", ...words])).stdout.trim();
    };
    expect(await complete("bal")).toBe("balances");
    expect(await complete("balances", "--acc")).toBe("--account-type");
    expect(await complete("balances", "--account-type", "gen")).toBe("general");
    // Bash divides words at "=".
    expect(await complete("balances", "--account-type", "=", "gen")).toBe("general");
    // zsh does not.
    expect(await complete("balances", "--account-type=gen")).toBe("--account-type=general");
    expect(await complete("series", "--every", "=")).toBe("change minute hour day week month");
    expect(await complete("balances", "-o", "")).toBe("");
    expect(await complete("follow", "v")).toBe("votes");
    expect(await complete("follow", "votes", "--prop")).toBe("--proposal");
    expect(await complete("sync", "vega.db", "v")).toBe("votes");
    expect(await complete("completion", "z")).toBe("zsh");
    expect(await complete("he")).toBe("help");
    expect(await complete("help", "sy")).toBe("sync");
  });

  test("in zsh and fish has the same commands and flags", async () => {
    const [zsh, fish] = [await runCli(["completion", "zsh"]), await runCli(["completion", "fish"])];
    expect(zsh.stdout).toMatch(/^autoload -U \+X bashcompinit && bashcompinit\n_vegaprotocol\(\) \{/);
    const first = (command: string) => `-n 'contains -- ${command} (commandline -opc)[2]`;
    expect(fish.stdout).toContain(`${first("series")}' -l every -x -a 'change minute hour day week month'`);
    expect(fish.stdout).toContain(`${first("completion")}' -f -a zsh\n`);
    expect(fish.stdout).toContain(`${first("follow")}; and contains -- votes (commandline -opc)[3]' -l proposal`);
    // The destination of a copy is a file.
    expect(fish.stdout).toContain(`${first("sync")}' -a votes\n`);
    expect(fish.stdout).toContain(`${first("help")}' -f -a sync\n`);
    expect(fish.stdout).toContain("-d 'Write to a file, in the format of its extension: .csv,");
    expect(await runCli(["completion", "powershell"])).toMatchObject({ code: 2 });
  });
});

test("follow says on a terminal that it waits for a block", async () => {
  const { signal, interrupt } = interruption();
  const onErrorOutput = () => interrupt();
  const { stderr } = await runCli(["follow", "balances"], { fetch, signal, errorTerminal: 80, onErrorOutput });
  expect(stderr).toContain("Waiting for the next block with balances. Press Ctrl-C to stop.\n");
});
