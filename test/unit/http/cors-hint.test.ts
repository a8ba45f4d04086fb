import { expect, test } from "vitest";
import { corsHint } from "../../../src/http/response.js";

const url = "https://node.example/api/v2/votes";
const blocked = new TypeError("Failed to fetch");

test("a request that a browser may have blocked has a hint with the origin of the page", () => {
  expect(corsHint(blocked, url, "https://app.example")).toContain("allow the origin https://app.example with");
  // A page that was opened from disk.
  expect(corsHint(blocked, url, "null")).toContain("(CORS)");
});

test.each([
  ["of the same origin", blocked, url, "https://node.example"],
  ["outside of browsers", blocked, url, undefined],
  [
    "of Node.js, whose errors have a cause",
    new TypeError("fetch failed", { cause: new Error() }),
    url,
    "https://a.example",
  ],
  ["with an error of another kind", new Error("Failed to fetch"), url, "https://app.example"],
])("a request %s has no hint that it was blocked", (_, error, url, origin) => {
  expect(corsHint(error, url, origin)).toBe("");
});
