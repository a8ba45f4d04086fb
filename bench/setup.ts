/** Installs and generates the clients that the benchmarks compare with. */
import { execFileSync } from "node:child_process";

for (const args of [
  ["ci", "--loglevel", "error", "--no-audit", "--no-fund"],
  ["run", "--silent", "generate"],
]) {
  // The standard output is for the results of the benchmarks.
  execFileSync("npm", ["--prefix", "bench", ...args], { stdio: ["ignore", process.stderr, "inherit"] });
}
