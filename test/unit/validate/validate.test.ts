import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { responseShapes } from "../../../generated/shapes.js";
import { createClient, ResponseError } from "../../../src/index.js";
import { createFakeNode, nodeDefects } from "../../../src/testing/index.js";
import { type AnswerMismatch, validateAnswers } from "../../../src/validate/index.js";
import { examples, operations, source } from "../../support/description.js";
import { rejectionOf, respondWith } from "../../support/recorder.js";
import { runs } from "../../support/runs.js";

type Operation = keyof typeof responseShapes;

const ids = operations.map(({ operationId }) => operationId as Operation);
const valid = (id: Operation) => Object.values(examples(id, "200")).map(({ value }) => structuredClone(value));

type Path = (string | number)[];

/** Every place in a body: the path to it. */
function placesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...members.flatMap(([name, each]) => placesIn(each, [...path, name]))];
}

/** The body with something else, or nothing, in one place. */
function changed(body: unknown, path: Path, change: { remove: true } | { put: unknown }): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return "put" in change ? change.put : body;
  const copy = (Array.isArray(body) ? [...body] : { ...(body as object) }) as Record<string | number, unknown>;
  if (rest.length > 0 || "put" in change) copy[name] = changed(copy[name], rest, change);
  else if (!Array.isArray(copy)) delete copy[name];
  return copy;
}

describe("the shape of a response", () => {
  let oracle: Record<string, (body: unknown) => boolean>;
  beforeAll(() => {
    // The description as ajv reads it; patterns of texts are not checked, as that takes the most time.
    const tree = JSON.parse(JSON.stringify(parse(source)).replaceAll("#/components/schemas/", "#/$defs/"));
    const strip = (node: unknown): void => {
      if (typeof node !== "object" || node === null) return;
      if ("pattern" in node && typeof node.pattern === "string") delete node.pattern;
      for (const each of Object.values(node)) strip(each);
    };
    strip(tree.components.schemas);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    oracle = Object.fromEntries(
      operations.map(({ operationId, path, method }) => {
        const { schema } = tree.paths[path][method].responses["200"].content["application/json"];
        const check = ajv.compile({ ...schema, $defs: tree.components.schemas });
        return [operationId, (body: unknown) => check(body) === true];
      }),
    );
  });

  test("agrees with ajv on responses that were changed in any place", () => {
    const operation = fc.constantFrom(...ids);
    const change = fc.oneof(
      fc.constant({ remove: true as const }),
      fc.record({ put: fc.oneof(fc.jsonValue(), fc.constantFrom(null, true, "VALUE_NEW", 7, 1.5, [], {})) }),
    );
    const property = fc.property(operation, fc.nat(), fc.nat(), change, (id, pick, place, change) => {
      const bodies = valid(id);
      const body = bodies[pick % bodies.length];
      const places = placesIn(body);
      const other = changed(body, places[place % places.length] ?? [], change);
      expect(responseShapes[id].explain(other).length === 0).toBe(oracle[id]?.(other));
    });
    fc.assert(property, runs(1000));
  });

  test("accepts every example of the description and every response of the fake node", async () => {
    for (const id of ids) for (const body of valid(id)) expect(responseShapes[id].explain(body)).toEqual([]);
    const node = createFakeNode(undefined, { defects: nodeDefects });
    const validate = validateAnswers({ onMismatch: "throw" });
    const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch, validate });
    const [{ partyId = "" } = {}] = node.records.votes;
    const [{ id = "" } = {}] = node.records.signatures;
    await client.listVotes({ partyId }).toArray();
    await client.listPartiesProfiles().toArray();
    await client.listNodeSignatures({ id }).toArray();
    await client.listBalanceChanges().toArray();
    await client.scanBalanceChanges().toArray();
    await client.getSpamStatistics({ partyId });
    await client.checkTransaction({ tx: {} });
  });
});

const vote = {
  partyId: "a",
  proposalId: "p",
  timestamp: "1707497695123456000",
  value: "VALUE_YES",
  totalGovernanceTokenBalance: "1",
  totalGovernanceTokenWeight: "1",
  totalEquityLikeShareWeight: "0",
};
const pageInfo = { startCursor: "a", endCursor: "a", hasNextPage: false, hasPreviousPage: false };
const page = (...nodes: object[]) => ({ votes: { edges: nodes.map((node) => ({ cursor: "a", node })), pageInfo } });

function clientWith(body: unknown, onMismatch: Parameters<typeof validateAnswers>[0]["onMismatch"] = "throw") {
  const server = respondWith(body);
  const options = { baseUrl: "https://node.example", fetch: server.fetch, validate: validateAnswers({ onMismatch }) };
  return { server, client: createClient(options) };
}

describe("the function of validateAnswers", () => {
  test.each<[what: string, records: object[], message: string]>([
    ["a wrong type", [vote, { ...vote, value: true }], "[1].node.value` to be a string or a whole number, got true"],
    ["a missing member", [{ ...vote, partyId: undefined }], "[0].node.partyId` to be a string, got nothing"],
    [
      "a wrong member that can be missing",
      [{ ...vote, elsPerMarket: [{ marketId: "m", els: 1 }] }],
      "[0].node.elsPerMarket[0].els` to be a string, got 1",
    ],
    [
      "several places",
      [{ ...vote, value: null, partyId: 5 }],
      "[0].node.partyId` to be a string, got 5 (and in 1 more place)",
    ],
    [
      "a member of a map",
      [{ ...vote, perMarketEquityLikeShareWeight: { m: 1 } }],
      "[0].node.perMarketEquityLikeShareWeight.m` to be a string, got 1",
    ],
    ["a record of another type", [[]], "[0].node` to be an object or null, got an empty array"],
  ])("reports %s with its path, and the call is not retried", async (_, records, message) => {
    const body = JSON.parse(JSON.stringify(page(...records)));
    const { client, server } = clientWith(body);
    const error = await rejectionOf(client.listVotes({ partyId: "a" }).toArray());
    const start = "listVotes received a response that does not match the OpenAPI description: expected `votes.edges";
    expect(error).toSatisfy(ResponseError.is);
    expect((error as Error).message).toContain(`${start}${message}, from `);
    expect(error).toMatchObject({ operation: "listVotes", attempts: 1, resume: { first: 5000 }, body });
    expect(server.sent).toHaveLength(1);
  });

  test("accepts unknown members, unknown names of enumerations and numbers without a name", async () => {
    const { client } = clientWith(
      page({ ...vote, value: "VALUE_MAYBE", reason: "new" }, { ...vote, partyId: "b", value: 7 }),
    );
    expect(await client.listVotes({ proposalId: "p" }).toArray()).toHaveLength(2);
  });

  test("calls `onMismatch` with every mismatch, and the call continues", async () => {
    const reported: AnswerMismatch[] = [];
    const body = { success: true, code: "0", data: "", log: "", gasWanted: 1, gasUsed: "0", info: "" };
    const { client } = clientWith(body, (mismatch) => reported.push(mismatch));
    expect(await client.checkTransaction({ tx: {} })).toEqual(body);
    expect(reported).toMatchObject([
      {
        operation: "checkTransaction",
        calledBy: "checkTransaction",
        body,
        attempts: 1,
        response: { status: 200 },
        mismatches: [
          { path: "code", expected: "a whole number", got: '"0"' },
          { path: "gasWanted", expected: "a string", got: "1" },
        ],
      },
    ]);
  });

  test("checks the responses to a scan, and reports the name of its method", async () => {
    const edges = [{ cursor: "a", node: { timestamp: "5", balance: 7 } }];
    const { client } = clientWith({ balances: { edges, pageInfo } });
    await expect(client.scanBalanceChanges().toArray()).rejects.toThrow(
      "scanBalanceChanges received a response that does not match the OpenAPI description: expected `balances.edges[0].node.balance` to be a string, got 7",
    );
  });

  test("is not created with an invalid option", () => {
    expect(() => validateAnswers({ onMismatch: "warn" as "throw" })).toThrow(
      'Expected `onMismatch` to be "throw" or a function, got "warn".',
    );
    expect(() => validateAnswers(undefined as never)).toThrow(
      "Expected the options of validateAnswers to be an object, got undefined.",
    );
    expect(() => validateAnswers({ onMismatch: "throw", strict: true } as never)).toThrow(
      "validateAnswers has no option `strict`. Expected `onMismatch`.",
    );
    const options = { baseUrl: "https://node.example", validate: true as never };
    expect(() => createClient(options)).toThrow("Expected `validate` to be a function, got true.");
  });
});
