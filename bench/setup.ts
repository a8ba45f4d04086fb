/** Installs and generates the clients that the benchmarks compare with. */
import { execFileSync } from "node:child_process";
import { npmCi } from "../scripts/npm-ci.js";

npmCi("bench");
// The standard output is for the results of the benchmarks.
execFileSync("npm", ["--prefix", "bench", "run", "--silent", "generate"], {
  stdio: ["ignore", process.stderr, "inherit"],
});
