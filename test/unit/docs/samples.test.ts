import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { requestFor } from "../../../docs/.vitepress/theme/operations/request.js";
import { curlSample, typescriptSample } from "../../../docs/.vitepress/theme/operations/samples.js";
import { consoleSamples } from "../../support/samples/console.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const node = "https://node.example";
const call = (...[id, values]: [Parameters<typeof typescriptSample>[0], Parameters<typeof typescriptSample>[2]]) =>
  typescriptSample(id, node, values).split("\n\n").slice(2).join("\n\n");

describe("a sample of an operation page", () => {
  test("is a complete program with nested arguments of the types of the client", () => {
    const values = {
      "filter.accountTypes": ["ACCOUNT_TYPE_GENERAL"],
      "filter.partyIds": "a1\n\n b2 ",
      "dateRange.startTimestamp": "1707497580000000000",
      "dateRange.endTimestamp": "1707497580000001000",
      "pagination.first": 5,
      "pagination.newestFirst": "false",
    };
    expect(
      typescriptSample("listBalanceChanges", node, values),
    ).toBe(`import { createClient } from "vegaprotocol-client";

const client = createClient({ baseUrl: "https://node.example" });

const page = await client.listBalanceChanges({
  filter: { partyIds: ["a1", "b2"], accountTypes: ["ACCOUNT_TYPE_GENERAL"] },
  dateRange: {
    startTimestamp: new Date("2024-02-09T16:53:00Z"),
    endTimestamp: 1707497580000001000n,
  },
  pagination: { first: 5, newestFirst: false },
});
for (const change of page.nodes) console.log(change);

// The \`pagination\` of the next page, or undefined if there is none.
console.log(page.next);
`);
  });

  test("is a loop over all records if the form names no page", () => {
    expect(call("listPartiesProfiles", { parties: "", "pagination.newestFirst": "true" })).toBe(
      "for await (const profile of client.listPartiesProfiles({\n  pagination: { newestFirst: true },\n})) {\n  console.log(profile);\n}\n",
    );
    expect(call("listPartiesProfiles", {})).toContain("client.listPartiesProfiles()");
  });

  test("has the transaction of the form as an object", () => {
    const code = call("checkTransaction", { tx: '{"pubKey": "a1", "pow": {"nonce": "1"}}' });
    expect(code).toContain(
      'const result = await client.checkTransaction({\n  tx: { pubKey: "a1", pow: { nonce: "1" } },\n});\n',
    );
    expect(call("checkTransaction", { tx: "{" })).toContain("not JSON");
  });

  test("escapes texts", () => {
    const id = 'a"b\\c\n`';
    expect(call("getSpamStatistics", { partyId: id })).toContain(JSON.stringify(id));
  });

  test("says why the client rejects a call", () => {
    expect(call("listVotes", {})).toMatch(/^\/\/ The client rejects this call: it requires partyId or proposalId\.\n/);
    expect(call("listNodeSignatures", { id: " " })).toMatch(/^\/\/ The client rejects this call: id is required\.\n/);
    const mixed = { id: "a1", "pagination.first": 5, "pagination.before": "c" };
    expect(call("listNodeSignatures", mixed)).toMatch(/^\/\/ The client rejects .* cannot be combined\.\n/);
    expect(call("listNodeSignatures", { id: "a1" })).not.toContain("//");
  });

  test("is formatted", () => {
    const code = consoleSamples.map((sample) => sample.code).join("\n");
    const biome = ["node_modules/@biomejs/biome/bin/biome", "format", "--stdin-file-path=sample.ts"];
    const flags = ["--line-width=80", "--indent-style=space"];
    expect(execFileSync(process.execPath, [...biome, ...flags], { cwd: root, input: code, encoding: "utf8" })).toBe(
      code,
    );
  });

  test("has a command for curl that a shell reads as the same request", () => {
    const values = { id: "it's", "pagination.after": "a+/=" };
    const printed = execFileSync("sh", [
      "-c",
      `curl() { printf '%s\\n' "$@"; }\n${curlSample("listNodeSignatures", node, values)}`,
    ]);
    expect(`${printed}`.trim()).toBe(requestFor("listNodeSignatures", node, values).url);
    const check = curlSample("checkTransaction", node, { tx: '{"pubKey": "it\'s"}' });
    const sent = execFileSync("sh", ["-c", `curl() { printf '%s\\n' "$@"; }\n${check}`], { encoding: "utf8" });
    expect(JSON.parse(sent.split("--data\n")[1] ?? "")).toEqual({ tx: { pubKey: "it's" } });
  });
});

describe("the request of a form", () => {
  test("repeats the names of arrays, encodes cursors, and leaves empty fields out", () => {
    const values = { parties: "a1\nb2\n", "pagination.first": 0, "pagination.after": "a+/=", "pagination.before": "" };
    expect(requestFor("listPartiesProfiles", `${node}/prefix/`, values)).toEqual({
      method: "GET",
      url: `${node}/prefix/api/v2/parties/profiles?parties=a1&parties=b2&pagination.first=0&pagination.after=a%2B%2F%3D`,
      body: undefined,
    });
  });

  test("has path parameters and a body", () => {
    expect(requestFor("getSpamStatistics", node, { partyId: "a/b" }).url).toBe(`${node}/statistics/spam/a%2Fb`);
    expect(requestFor("checkTransaction", node, { tx: "{" }).body).toBe('{"tx": {}');
    expect(requestFor("checkTransaction", node, {}).body).toBe("{}");
  });
});
