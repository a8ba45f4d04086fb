const { run } = require("./suite.cjs");
const { run: runListen } = require("./listen.cjs");

(async () => {
  console.log(JSON.stringify([...(await run(process.argv[2])), ...(await runListen())]));
})();
