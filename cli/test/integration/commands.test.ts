import { writeFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { createFakeNode } from "vegaprotocol-client/testing";
import { describe, expect, test } from "vitest";
import { transaction } from "../../../test/support/raw-requests.js";
import { clock, ended, runCli, useFolder } from "../support/run-cli.js";

const file = useFolder();
const node = createFakeNode({}, { checkCode: (tx) => (tx.pubKey?.startsWith("ff") ? 89 : 0) });
const { fetch } = node;

/** The bodies that were sent. */
const sent = () => node.requests.filter(({ method }) => method === "POST").map(({ body }) => JSON.parse(body));

describe("the command check", () => {
  test("exits with 4 and the reason if the node rejects the transaction, which was sent once", async () => {
    node.requests.length = 0;
    const stdin = JSON.stringify({ tx: { pubKey: "ab" } });
    const { code, stdout, stderr } = await runCli(["check"], { fetch, stdin });
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ success: false, code: 60 });
    expect(stderr).toBe(
      "The transaction is malformed, or its signature is wrong: tx.version (is required).\n" +
        "Check the command, the key, the chain and the version. Then sign it again.\n",
    );
    expect(sent()).toEqual([{ tx: { pubKey: "ab" } }]);
    const onOutput = () => Object.assign(new Error("EPIPE"), { code: "EPIPE" });
    expect(await runCli(["check"], { fetch, stdin, onOutput })).toMatchObject({ code: 4, stderr });
  });

  test("reads the transaction from stdin or a file, also one with a byte order mark, with and without the body of a request", async () => {
    const text = JSON.stringify(transaction);
    await writeFile(file("tx.json"), text);
    await writeFile(file("windows.json"), `\uFEFF${text}`);
    // As `>` of Windows PowerShell writes it.
    const utf16 = Buffer.from(`\uFEFF${text}`, "utf16le");
    await writeFile(file("powershell.json"), utf16);
    node.requests.length = 0;
    const names = ["tx.json", "windows.json", "powershell.json"];
    for (const name of names) await runCli(["check", file(name)], { fetch });
    for (const stdin of [text, `{"tx":${text}}`, Readable.from([utf16])])
      await runCli(["check", "-"], { fetch, stdin });
    expect(sent()).toEqual(Array(6).fill({ tx: transaction }));
  });

  test("says that stdin is empty", async () => {
    const result = await runCli(["check"], { fetch, stdin: "" });
    expect(result).toMatchObject(ended(2, "Expected stdin to hold a transaction as JSON, and it is empty.\n"));
  });

  test.each(["{", "[]", "7", '{"tx":[]}'])("exits with 2 and sends nothing for the text %j", async (stdin) => {
    node.requests.length = 0;
    const result = await runCli(["check"], { fetch, stdin });
    expect(result).toMatchObject(ended(2, "Expected stdin to hold a transaction as"));
    expect(node.requests).toEqual([]);
  });
});

test.each([["--version"], ["-V"], ["version"]])("the version is printed alone by %s", async (word) => {
  expect(await runCli([word])).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/), stderr: "" });
});

describe("the line of progress", () => {
  const data = { balances: 3000 };
  const args = ["balances", "--from", "2024-02-09T16:46:00Z", "--format", "ndjson", "--page-size", "500"];
  test("shows records, rate and position on a terminal, and is removed at the end", async () => {
    const { fetch } = createFakeNode(data, { rateLimit: false });
    const { stderr } = await runCli(args, { fetch, errorTerminal: 100, now: clock(250) });
    expect(stderr).toMatch(/^\r.\[K[\d,]+ records?, [\d,]+\/s, at 2024-02-09T16:\d\d:\d\dZ/);
    expect(stderr.endsWith("\r\x1b[K")).toBe(true);
  });

  test("has no control characters of a node", async () => {
    const pageInfo = { hasNextPage: false };
    const things = { edges: [{ node: { timestamp: "\x1b[2J" }, cursor: "" }], pageInfo };
    const answer = async () => Response.json({ things });
    const options = { fetch: answer, errorTerminal: 100, now: clock(250) };
    expect((await runCli(["get", "/api/v2/things"], options)).stderr).toContain(", at �[2J");
  });

  test("gives way to a message", async () => {
    const { fetch } = createFakeNode(data, { rateLimit: false });
    const { stderr } = await runCli([...args, "--verbose"], { fetch, errorTerminal: 100 });
    expect(stderr).toMatch(/^(\r.\[K.+\n)+$/);
  });

  test("shows nothing if stderr is no terminal, with --quiet, and between the rows of a table", async () => {
    const { fetch } = createFakeNode(data, { rateLimit: false });
    for (const [argv, terminals] of [
      [args, {}],
      [[...args, "--quiet"], { errorTerminal: 100 }],
      [args, { errorTerminal: 100, terminal: 100 }],
    ] as const) {
      expect((await runCli(argv, { fetch, ...terminals, now: clock(250) })).stderr).toBe("");
    }
  });
});
