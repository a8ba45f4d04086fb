import { run } from "./suite.mjs";

console.log(JSON.stringify(await run(process.argv[2])));
