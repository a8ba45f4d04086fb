import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { freePort } from "../../../test/support/free-port.js";
import { openPostgres } from "../../src/sync/destinations/postgres.js";

test("a destination that is closed no longer listens to the signal of its command", async () => {
  const { signal } = new AbortController();
  const opened = openPostgres(`postgres://127.0.0.1:${await freePort()}/vega`, {
    mode: "read",
    schema: "vega",
    signal,
  });
  await expect(opened).rejects.toThrow("no server listens there");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
