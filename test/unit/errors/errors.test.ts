import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import * as vega from "../../../src/index.js";

const request = { method: "GET", url: "https://node.example/api/v2/votes" };
const body = { code: 5, message: "NotFound error", details: [] };
const response = () => Response.json(body, { status: 404, headers: { "set-cookie": "secret" } });

const limited = { request, response: Response.json({}, { status: 429 }), body: {} };

const errors = {
  VegaError: new vega.VegaError("m"),
  ArgumentError: new vega.ArgumentError("m", { argument: "partyId" }),
  ConnectionError: new vega.ConnectionError("m"),
  TimeoutError: new vega.TimeoutError("m", { scope: "total" }),
  ApiError: new vega.ApiError({ request, response: response(), body }),
  RateLimitError: new vega.RateLimitError({ ...limited, retryAfter: 1, banned: false, sent: true }),
  ResponseError: new vega.ResponseError("m", { response: Response.json({}), body: {} }),
  PaginationError: new vega.PaginationError("m", { reason: "pruned", availableFrom: 1707497689123456789n }),
};

const parents: Record<string, string[]> = { RateLimitError: ["ApiError"] };

describe.each(Object.entries(errors))("%s", (name, error) => {
  test("has a literal name, and is recognized by the guards of its class and its base classes", () => {
    expect(error.name).toBe(name);
    expect(error).toBeInstanceOf(Error);
    for (const [other, Class] of Object.entries(vega).filter(([key]) => key.endsWith("Error"))) {
      const known = other === name || other === "VegaError" || (parents[name] ?? []).includes(other);
      expect((Class as typeof vega.VegaError).is(error), other).toBe(known);
      expect(error instanceof (Class as typeof vega.VegaError), other).toBe(known);
    }
  });

  test("shows its name and message as text, and is plain data in a log", () => {
    expect(String(error)).toBe(`${name}: ${error.message}`);
    expect(inspect(error)).toContain(error.message);
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ name, message: error.message, attempts: 0 });
    expect(JSON.stringify(error)).not.toContain("secret");
  });
});

test("toJSON has the members of each class, and the name and message of the cause", () => {
  const cause = new TypeError("fetch failed");
  const connection = new vega.ConnectionError("no response", { operation: "listVotes", attempts: 4, cause });
  expect(JSON.parse(JSON.stringify(connection))).toEqual({
    name: "ConnectionError",
    message: "no response",
    operation: "listVotes",
    attempts: 4,
    cause: { name: "TypeError", message: "fetch failed" },
  });
  const message = "The request failed with status 404: NotFound error (GET https://node.example/api/v2/votes)";
  const api = { name: "ApiError", message, attempts: 0, status: 404, code: 5, codeName: "NOT_FOUND", details: [] };
  expect(JSON.parse(JSON.stringify(errors.ApiError))).toEqual({ ...api, request });
  const members = {
    RateLimitError: { retryAfter: 1, banned: false, status: 429 },
    TimeoutError: { scope: "total" },
    PaginationError: { reason: "pruned", availableFrom: "1707497689123456789" },
    ArgumentError: { argument: "partyId" },
  };
  expect(JSON.parse(JSON.stringify(errors))).toMatchObject(members);
});

test("messages say what to do if that is known", () => {
  const message = (status: number, body: unknown) => {
    const response = Response.json({}, { status });
    return new vega.ApiError({ operation: "listVotes", request, response, body }).message;
  };
  expect(message(404, "<html>Not Found</html>")).toBe(
    "listVotes failed with status 404: <html>Not Found</html> (GET https://node.example/api/v2/votes). Check that `baseUrl` is the address of a node.",
  );
  expect(message(429, { code: 8, message: "grpc: received message larger than max (2 vs. 1)" })).toContain(
    "). Request less: a smaller page, or a narrower filter.",
  );
  expect(errors.RateLimitError.message).toBe(
    "The request failed with status 429: {} (GET https://node.example/api/v2/votes). Wait 1 second.",
  );
});
