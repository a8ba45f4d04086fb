import { describe, expect, test } from "vitest";
import type { FormValues } from "../../../docs/.vitepress/theme/operations/fields.js";
import { formOf, linkOf } from "../../../docs/.vitepress/theme/operations/link.js";
import { requestFor } from "../../../docs/.vitepress/theme/operations/request.js";
import { adviceOn, tableOf } from "../../../docs/.vitepress/theme/operations/result.js";
import { createFakeNode, nodeDefects } from "../../../src/testing/index.js";
import { forms } from "../../support/samples/console.js";

const baseUrl = "https://node.example";

describe("the link of a request", () => {
  test.each(forms)("restores the request: $id, $name", ({ id, values }) => {
    const form = { baseUrl: "http://127.0.0.1:8080/datanode", nodeState: "ready", values } as const;
    const restored = formOf(id, linkOf(id, form));
    expect(restored?.baseUrl).toBe(form.baseUrl);
    expect(requestFor(id, baseUrl, restored?.values ?? {})).toEqual(requestFor(id, baseUrl, values));
  });

  test("restores the state of the example node", () => {
    for (const nodeState of ["ready", "limited", "starting"] as const)
      expect(formOf("listVotes", linkOf("listVotes", { baseUrl, nodeState, values: {} }))).toEqual({
        baseUrl,
        nodeState,
        values: {},
      });
  });

  test("ignores what the form does not have, and is none without a node", () => {
    expect(formOf("listVotes", `?node=${baseUrl}&state=broken&filter.assetId=a1&partyId=b2`)).toEqual({
      baseUrl,
      nodeState: "ready",
      values: { partyId: "b2" },
    });
    expect(formOf("listVotes", "?partyId=b2")).toBeUndefined();
  });
});

describe("a result as a table", () => {
  const node = createFakeNode({ balances: 20, profiles: 9, spamStatistics: 2 }, { defects: nodeDefects });
  const read = async (id: Parameters<typeof requestFor>[0], values: FormValues = {}) => {
    const response = await node.fetch(requestFor(id, baseUrl, values).url);
    return { status: response.status, json: await response.json() };
  };

  test("has a row for each record, with readable times, in the order of the description", async () => {
    const { json } = await read("listBalanceChanges", { "pagination.first": 3 });
    const table = tableOf("listBalanceChanges", json);
    expect(table?.columns).toEqual(["timestamp", "balance", "partyId", "assetId", "marketId", "accountType"]);
    expect(table?.rows).toHaveLength(3);
    const [{ node: first }] = json.balances.edges;
    expect(table?.rows[0]?.[0]).toMatch(/^2024-02-09T16:54:\d\d\.\d{9}Z$/);
    expect(table?.rows[0]?.slice(1)).toEqual(
      ["balance", "partyId", "assetId", "marketId", "accountType"].map((name) => first[name]),
    );
  });

  test("shows objects as JSON, members that only some records have, and members that the description lacks", () => {
    const json = {
      profiles: {
        edges: [
          { node: { partyId: "a1", alias: "", metadata: [{ key: "site", value: "b" }] } },
          { node: { added: { later: true }, partyId: "b2", alias: null, metadata: [] } },
        ],
        pageInfo: {},
      },
    };
    expect(tableOf("listPartiesProfiles", json)).toEqual({
      kind: "record",
      columns: ["partyId", "alias", "metadata", "added"],
      rows: [
        ["a1", "", '[{"key":"site","value":"b"}]', ""],
        ["b2", "", "[]", '{"later":true}'],
      ],
    });
  });

  test("has a row for each member of another object", async () => {
    expect(tableOf("getSpamStatistics", { chainId: "c", statistics: { states: [{ height: "1" }], none: {} } })).toEqual(
      {
        kind: "member",
        columns: ["member", "value"],
        rows: [
          ["chainId", "c"],
          ["statistics.states[0].height", "1"],
          ["statistics.none", "{}"],
        ],
      },
    );
    expect(tableOf("getSpamStatistics", undefined)).toBeUndefined();
  });

  test("explains the error of every cursor of profiles, and no other error", async () => {
    const first = await read("listPartiesProfiles", { "pagination.first": 5 });
    const values = { "pagination.first": 5, "pagination.after": first.json.profiles.pageInfo.endCursor };
    const { status } = await read("listPartiesProfiles", values);
    expect(status).toBe(500);
    expect(adviceOn("listPartiesProfiles", status, values)).toContain("only its first page works");
    expect(adviceOn("listPartiesProfiles", status, {})).toBeUndefined();
    expect(adviceOn("listPartiesProfiles", 200, values)).toBeUndefined();
    expect(adviceOn("listVotes", 500, values)).toBeUndefined();
  });
});
