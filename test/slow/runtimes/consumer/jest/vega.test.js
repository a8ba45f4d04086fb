const { run } = require("../suite.cjs");
const { run: runListen } = require("../listen.cjs");

const failed = (results) => results.filter(({ error }) => error !== null);

test("runs all tests of a runtime", async () => {
  expect(failed(await run(process.env.NODE_URL))).toEqual([]);
  expect(failed(await runListen())).toEqual([]);
}, 30_000);
