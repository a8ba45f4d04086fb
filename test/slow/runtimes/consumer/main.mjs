import { run as runListen } from "./listen.mjs";
import { run } from "./suite.mjs";

console.log(JSON.stringify([...(await run(process.argv[2])), ...(await runListen())]));
