import { expect, test } from "vitest";
import { continuedLater, readGivenCursor } from "../../../src/list/client-cursors.js";

// Go escapes U+2028, and sends other characters as UTF-8.
test("what the client adds to a cursor leaves characters beyond Latin-1 as the node wrote them", () => {
  const cursor = btoa('{"alias":"a\\u2028b","id":"a1"}');
  const { own, minBlock } = readGivenCursor(continuedLater(cursor, 5n, undefined));
  expect([JSON.parse(atob(own)), minBlock]).toEqual([{ alias: "a\u2028b", id: "a1" }, 5n]);
});
