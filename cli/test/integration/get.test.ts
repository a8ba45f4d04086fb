import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { type CliOptions, ended, runCli, useFolder } from "../support/run-cli.js";

const path = useFolder();
const assets = Array.from({ length: 50 }, (_, index) => ({
  id: `a${index}`,
  details: { symbol: `T${index}`, decimals: `${index}`, ...(index === 49 && { note: "=1+1" }) },
  tags: index === 1 ? [{ key: "x" }] : [],
}));
/** The requests that were sent, without the host. */
const sent: string[] = [];

/** A node with a list in pages of 20, an object, and errors. */
const fetch = async ({ url }: Request) => {
  const { pathname, search, searchParams } = new URL(url);
  sent.push(pathname + search);
  const at = Number(searchParams.get("pagination.after") ?? -1) + 1;
  const nodes = assets.slice(at, at + Number(searchParams.get("pagination.first") ?? 20));
  const edges = nodes.map((node, index) => ({ cursor: `${at + index}`, node }));
  const hasNextPage = at + nodes.length < assets.length;
  const [startCursor, endCursor] = [`${at}`, `${at + nodes.length - 1}`];
  const pageInfo = { startCursor, endCursor, hasNextPage, hasPreviousPage: at > 0 };
  const error = { code: 5, message: "Not Found", details: [{ message: "no such thing" }] };
  if (pathname === "/api/v2/assets") return Response.json({ assets: { edges, pageInfo } });
  if (pathname === "/api/v2/epoch") return Response.json({ epoch: { seq: "7", validators: [] } });
  if (pathname === "/api/v2/text") return Response.json("text");
  if (pathname === "/api/v2/empty") return new Response(null, { status: 204 });
  if (pathname === "/api/v2/banned")
    return Response.json({ code: 7, message: "banned" }, { status: 403, headers: { "RateLimit-Retry-After": "600" } });
  return Response.json(error, { status: 404 });
};
const run = (line: string, options: CliOptions = {}) => {
  sent.length = 0;
  return runCli(["get", ...line.split(" ")], { fetch, env: { NO_COLOR: "1" }, ...options });
};

test("the command get prints each record of all pages as the node sent it", async () => {
  const { code, stdout } = await run("/api/v2/assets?filter=x");
  expect(code).toBe(0);
  expect(stdout.trim().split("\n")).toEqual(assets.map((asset) => JSON.stringify(asset)));
  const cursors = ["", "&pagination.after=19", "&pagination.after=39"];
  expect(sent).toEqual(cursors.map((cursor) => `/api/v2/assets?filter=x${cursor}`));
  expect(JSON.parse((await run("api/v2/assets --format json --page-size 7")).stdout)).toEqual(assets);
  expect(sent).toHaveLength(8);
});

test("the command get prints no control characters and no formulas of names that a node has chosen", async () => {
  const record = { "\u001b]0;x\u0007\u009b31m\u202e\n": "a", "=1+1": "b" };
  const pageInfo = { startCursor: "a", endCursor: "a", hasNextPage: false, hasPreviousPage: false };
  const fetch = async () => Response.json({ assets: { edges: [{ cursor: "a", node: record }], pageInfo } });
  for (const options of [{ terminal: 80 }, { terminal: 40 }]) {
    const { stdout } = await run("/api/v2/assets --format table", { fetch, ...options });
    expect(stdout).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
  }
  expect((await run("/api/v2/assets --format csv", { fetch })).stdout).toMatch(/,'=1\+1\r\n/);
});

test("the command get shows the message of an error without details, of any length, on one line", async () => {
  const message = `not  here\n${" ".repeat(300_000)}at all`;
  const fetch = async () => Response.json({ code: 5, message, details: null }, { status: 404 });
  const unknown = ended(1, "not here at all. The node does not have this path.\n");
  expect(await run("/api/v2/assets", { fetch })).toMatchObject(unknown);
  const advised = ended(1, "all. Check the path: most begin with /api/v2/.\n");
  expect(await run("/v2/assets", { fetch })).toMatchObject(advised);
  // The path is right, if the node explains the error.
  expect((await run("/api/v2/other")).stderr).toMatch(/no such thing\.\n$/);
});

test("the command get has a column of CSV for each member of an object, and tells what its columns lack", async () => {
  const { stdout, stderr } = await run("/api/v2/assets --format csv");
  const lines = stdout.split("\r\n");
  expect([lines[0], lines[2]]).toEqual(["id,details.symbol,details.decimals,tags", 'a1,T1,1,"[{""key"":""x""}]"']);
  expect(lines).toHaveLength(52);
  expect(stderr).toBe("Warning: later records also have details.note. Use --columns, or --format ndjson for all.\n");
  const chosen = await run("/api/v2/assets --format csv --columns id,details.note");
  expect(chosen).toMatchObject({ code: 0, stdout: expect.stringMatching(/^id,details\.note\r\na0,\r\n/), stderr: "" });
  expect(chosen.stdout).toMatch(/^a\d+,.+\r$/m);
  const object = await run("/api/v2/assets --columns details,details.symbol -n 1");
  const both = /^{"details":{.*"symbol":"T0".*},"details.symbol":"T0"}\n$/;
  expect(object).toMatchObject({ stdout: expect.stringMatching(both), stderr: "" });
  const none = await run("/api/v2/assets --columns id,details.nope -n 2");
  expect(none.stderr).toBe("Warning: no record has details.nope.\n");
  const file = path("assets.csv");
  const written = await run(`/api/v2/assets --columns details.symbol,id -n 2 -o ${file}`);
  expect(written.stderr).toBe(`${file}: 2 records.\n`);
  expect(await readFile(file, "utf8")).toBe("details.symbol,id\r\nT0,a0\r\nT1,a1\r\n");
  expect(sent).toEqual(["/api/v2/assets?pagination.first=2"]);
});

test("the command get of an empty list prints the columns that were chosen, and a whole page", async () => {
  const empty = async () => Response.json({ list: { edges: [], pageInfo: { hasNextPage: false } } });
  expect((await run("/empty --format csv", { fetch: empty })).stdout).toBe("");
  expect((await run("/empty --format csv --columns id,name", { fetch: empty })).stdout).toBe("id,name\r\n");
  const { stdout } = await run("/empty --format html", { fetch: empty });
  expect(stdout).toMatch(/^<!doctype html>.*<script id="data" type="application\/json">\{"rows":\[\]/s);
});

test("the command get keeps all digits of numbers, also of those that JavaScript rounds", async () => {
  const object = String.raw`{"a":9007199254740993,"b":[-1234567890123456789.5],"c":"\" 9007199254740993","d":0.1,"e":1e21}`;
  const exact = async () => new Response(object, { headers: { "Content-Type": "application/json" } });
  const printed = String.raw`{"a":"9007199254740993","b":["-1234567890123456789.5"],"c":"\" 9007199254740993","d":0.1,"e":1e+21}`;
  expect((await run("/exact", { fetch: exact })).stdout).toBe(`${printed}\n`);
  const edges = [1707497695123456, "x"].map((value) => JSON.stringify({ cursor: "", node: { value } }));
  const page = `{"list":{"edges":[${edges},{"node":{"value":18446744073709551615}}],"pageInfo":{"hasNextPage":false}}}`;
  const list = async () => new Response(page, { headers: { "Content-Type": "application/json" } });
  const rows = "value\r\n1707497695123456\r\nx\r\n18446744073709551615\r\n";
  expect((await run("/list --format csv", { fetch: list })).stdout).toBe(rows);
  const padded = async () =>
    Response.json({ list: { edges: [{ node: { id: "007" } }], pageInfo: { hasNextPage: false } } });
  expect((await run("/list --format html", { fetch: padded })).stdout).toContain('"columns":{"id":"text"}');
});

test("the command get marks a formula in CSV also where other records have an object", async () => {
  const edges = ["=1+1", ["x"]].map((value) => ({ cursor: "", node: { value } }));
  const mixed = async () => Response.json({ list: { edges, pageInfo: { hasNextPage: false } } });
  expect((await run("/mixed --format csv", { fetch: mixed })).stdout).toBe('value\r\n\'=1+1\r\n"[""x""]"\r\n');
});

test("the command get prints a screenful on a terminal", async () => {
  const { stdout, stderr } = await run("/api/v2/assets", { terminal: 80 });
  expect(stdout.trimEnd().split("\n")).toHaveLength(31);
  expect(stderr).toBe("The first 30 records. For more: -n N, -o FILE, or --format ndjson|csv|json.\n");
  expect(sent).toEqual(["/api/v2/assets?pagination.first=31"]);
});

test("the command get ends with an error if a page of a list is followed by something else", async () => {
  const withoutPage = (request: Request) =>
    request.url.includes("after") ? Promise.resolve(Response.json({})) : fetch(request);
  const message = "Expected GET /api/v2/assets to return the next page of the list, got {}.";
  for (const rest of ["", ` -o ${path("x.csv")}`]) {
    expect(await run(`/api/v2/assets${rest}`, { fetch: withoutPage })).toMatchObject(ended(1, message));
  }
});

test("lists whose pages do not tell whether another one follows are printed as they are, and name no assets", async () => {
  const list = { assets: { edges: [{ node: assets[0], cursor: "c" }], pageInfo: {} } };
  const withoutEnd = async () => Response.json(list);
  const object = { code: 0, stdout: `${JSON.stringify(list)}\n`, stderr: "" };
  expect(await run("/api/v2/assets", { fetch: withoutEnd })).toEqual(object);
  const found = await runCli(["balances", "--asset", "VEGA"], { fetch: withoutEnd });
  expect(found).toMatchObject(ended(2, "no assets are listed here"));
});

test("the command get prints an object, or writes it to a file", async () => {
  const object = '{"epoch":{"seq":"7","validators":[]}}\n';
  expect(await run("/api/v2/epoch")).toEqual({ code: 0, stdout: object, stderr: "" });
  expect((await run(`/api/v2/epoch -o ${path("epoch.ndjson")}`)).stderr).toMatch(/: one object\.\n$/);
  expect(await readFile(path("epoch.ndjson"), "utf8")).toBe(object);
});

test("the command get prints the columns of an object that were chosen", async () => {
  expect((await run("/api/v2/epoch --columns epoch.seq --format csv")).stdout).toBe("epoch.seq\r\n7\r\n");
  expect((await run("/api/v2/epoch --columns epoch.seq")).stdout).toBe('{"epoch.seq":"7"}\n');
  const message = "There is no column nope. The columns are epoch.seq, epoch.validators.";
  expect(await run("/api/v2/epoch --columns nope")).toMatchObject(ended(2, message));
  const empty = 'There is no column "". The columns are id, details.symbol, details.decimals, tags';
  expect(await run("/api/v2/assets --columns id,")).toMatchObject(ended(2, empty));
  const twice = 'Expected --columns to have each column once, got "id" twice.';
  expect(await run("/api/v2/assets --columns id,tags,id")).toMatchObject(ended(2, twice));
});

test.each([
  ["/api/v2/other", 1, "GET /api/v2/other failed with status 404: Not Found: no such thing."],
  ["/api/v2/banned", 5, "GET /api/v2/banned failed with status 403: banned. Wait 600 seconds."],
  ["/api/v2/text", 1, 'Expected GET /api/v2/text to return a JSON object, got "text".'],
  ["/api/v2/empty", 1, "Expected GET /api/v2/empty to return a JSON object, got an empty body."],
  ["/api/v2/assets --columns id,nam", 2, "There is no column nam. The columns are id, details.symbol, details."],
  [
    "api/v2/votes?pagination.last=2",
    2,
    "get reads a list from its start: PATH cannot have pagination.last. Use -n or pagination.first.",
  ],
  ["../5", 2, `Expected PATH to be a path of the node's REST API, such as /api/v2/assets, got "../5".`],
  ["C:/Git/api/v2/assets", 2, 'got "C:/Git/api/v2/assets". Git Bash replaces the first slash: leave it out.'],
  ["https://node.example/x", 2, 'such as /api/v2/assets, got "https://node.example/x".'],
])("the command get of %s exits with %i", async (line, code, message) => {
  expect(await run(line)).toMatchObject({ ...ended(code, message), stdout: "" });
  expect(sent.length > 0).toBe(line.startsWith("/"));
});
