import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { responseShapes } from "../../../generated/shapes.js";
import { createClient, ResponseError } from "../../../src/index.js";
import { createFakeNode, nodeDefects } from "../../../src/testing/index.js";
import { type AnswerMismatch, validateAnswers } from "../../../src/validate/index.js";
import { description, examples, operations } from "../../support/description.js";
import { rejectionOf, respondWith } from "../../support/recorder.js";
import { runs } from "../../support/runs.js";

type Operation = keyof typeof responseShapes;

const ids = operations.map(({ operationId }) => operationId as Operation);
const valid = (id: Operation) => Object.values(examples(id, "200")).map(({ value }) => structuredClone(value));

/** The body with another value in one of its places, or without the member there. */
function changed(body: unknown, pick: number, put: unknown): unknown {
  const text = JSON.stringify(body);
  let [places, visited] = [0, 0];
  JSON.parse(text, () => ++places);
  return JSON.parse(text, function (this: unknown, _, value) {
    const isLeftOut = put === undefined && Array.isArray(this);
    return visited++ === pick % places && !isLeftOut ? put : value;
  });
}

describe("the shape of a response", () => {
  let oracle: Record<string, (body: unknown) => boolean>;
  beforeAll(() => {
    // The description as ajv reads it; patterns of texts are not checked, as that takes the most time.
    const isPattern = (name: string, value: unknown) => name === "pattern" && typeof value === "string";
    const text = JSON.stringify(description, (name, value) => (isPattern(name, value) ? undefined : value));
    const tree = JSON.parse(text.replaceAll("#/components/schemas/", "#/$defs/"));
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
    const put = fc.oneof(fc.jsonValue(), fc.constantFrom(undefined, null, true, "VALUE_NEW", 7, 1.5, [], {}));
    const property = fc.property(fc.constantFrom(...ids), fc.nat(), fc.nat(), put, (id, pick, place, put) => {
      const bodies = valid(id);
      const other = changed(bodies[pick % bodies.length], place, put);
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

const [vote] = createFakeNode({ votes: 1 }).records.votes;
const pageInfo = { startCursor: "a", endCursor: "a", hasNextPage: false, hasPreviousPage: false };
const page = (...nodes: object[]) => ({ votes: { edges: nodes.map((node) => ({ cursor: "a", node })), pageInfo } });

function clientWith(body: unknown, onMismatch: Parameters<typeof validateAnswers>[0]["onMismatch"] = "throw") {
  const server = respondWith(body);
  const options = { baseUrl: "https://node.example", fetch: server.fetch, validate: validateAnswers({ onMismatch }) };
  return { server, client: createClient(options) };
}

const weights = "perMarketEquityLikeShareWeight";
const mismatch = "received a response that does not match the OpenAPI description: expected";

describe("the function of validateAnswers", () => {
  test.each<[what: string, member: object, message: string]>([
    ["a wrong type", { value: true }, ".value` to be a string or a whole number, got true"],
    ["a missing member", { partyId: undefined }, ".partyId` to be a string, got nothing"],
    ["a wrong optional member", { elsPerMarket: [5] }, ".elsPerMarket[0]` to be an object, got 5"],
    ["several places", { value: null, partyId: 5 }, ".partyId` to be a string, got 5 (and in 1 more place)"],
    ["a member of a map", { [weights]: { m: 1 } }, `.${weights}.m\` to be a string, got 1`],
    ["a record of another type", [], "` to be an object or null, got an empty array"],
  ])("reports %s with its path, and the call is not retried", async (_, member, message) => {
    const record = Array.isArray(member) ? member : { ...vote, ...member };
    const body = JSON.parse(JSON.stringify(page({ ...vote }, record)));
    const { client, server } = clientWith(body);
    const error = await rejectionOf(client.listVotes({ partyId: "aa" }).toArray());
    expect(error).toSatisfy(ResponseError.is);
    expect((error as Error).message).toContain(`listVotes ${mismatch} \`votes.edges[1].node${message}, from https://`);
    expect(error).toMatchObject({ operation: "listVotes", attempts: 1, resume: { pagination: { first: 5000 } }, body });
    expect(server.sent).toHaveLength(1);
  });

  test("accepts unknown members, unknown names of enumerations and numbers without a name", async () => {
    const [unknown, number] = [{ value: "VALUE_MAYBE", reason: "new" }, { value: 7 }];
    const { client } = clientWith(page({ ...vote, ...unknown }, { ...vote, partyId: "bb", ...number }));
    expect(await client.listVotes({ proposalId: "ab" }).toArray()).toHaveLength(2);
  });

  test("calls `onMismatch` with every mismatch, and the call continues", async () => {
    const reported: AnswerMismatch[] = [];
    const body = { success: true, code: "0", data: "", log: "", gasWanted: 1, gasUsed: "0", info: "" };
    const { client } = clientWith(body, (mismatch) => reported.push(mismatch));
    expect(await client.checkTransaction({ tx: {} })).toEqual(body);
    const code = { path: "code", expected: "a whole number", got: '"0"' };
    const mismatches = [code, { path: "gasWanted", expected: "a string", got: "1" }];
    const names = { operation: "checkTransaction", operationId: "checkTransaction" };
    expect(reported).toMatchObject([{ ...names, body, attempts: 1, response: { status: 200 }, mismatches }]);
  });

  test("stops at 100 mismatches, and reads nothing after them", async () => {
    let looks = 0;
    const record = Object.defineProperty({}, "partyId", { get: () => ++looks, enumerable: true });
    const body = page(...Array(1000).fill(record));
    expect(responseShapes.listVotes.explain(body)).toHaveLength(100);
    expect(looks).toBeLessThanOrEqual(100);
    const error = await rejectionOf(clientWith(JSON.parse(JSON.stringify(body))).client.listVotes({ partyId: "aa" }));
    expect(error).toMatchObject({ message: expect.stringContaining(" (and in at least 99 more places)") });
  });

  test("checks the responses to a scan, and reports the name of its method", async () => {
    const edges = [{ cursor: "a", node: { timestamp: "5", balance: 7 } }];
    const names = { operation: "scanBalanceChanges", operationId: "listBalanceChanges" };
    const reported: AnswerMismatch[] = [];
    const logged = clientWith({ balances: { edges, pageInfo } }, (mismatch) => reported.push(mismatch));
    await logged.client.scanBalanceChanges({}, { maxItems: 1 }).toArray();
    expect(reported[0]).toMatchObject(names);
    const { client } = clientWith({ balances: { edges, pageInfo } });
    const message = `scanBalanceChanges ${mismatch} \`balances.edges[0].node.balance\` to be a string, got 7`;
    await expect(client.scanBalanceChanges().toArray()).rejects.toThrow(message);
  });

  test.each([
    [{ onMismatch: "warn" }, 'Expected `onMismatch` to be "throw" or a function, got "warn".'],
    [undefined, "Expected the options of validateAnswers to be a plain object, got undefined."],
    [{ onMismatch: "throw", strict: true }, "validateAnswers has no option `strict`. Expected `onMismatch`."],
    [{ operation: "listVotes", body: {} }, "`validate` must be a call, `validateAnswers({ onMismatch })`, not the"],
  ])("is not created with the options %j", (options, message) => {
    expect(() => validateAnswers(options as never)).toThrow(message);
  });
});
