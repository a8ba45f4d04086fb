import { defineConfig } from "vitest/config";

const { ROOM: room = "{list,scan,pool,follow,http,reports}", TESTS: tests } = process.env;
/** Reading lists and ranges is tested by small worlds as well. */
const readsRecords = !["http", "reports"].includes(room);
const own = [`test/unit/${room}/**/*.test.ts`, ...(readsRecords ? ["test/slow/worlds/small-worlds.test.ts"] : [])];

export default defineConfig({
  test: { include: tests === undefined ? own : [tests], testTimeout: 60_000 },
});
