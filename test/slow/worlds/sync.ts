// Runs on a Node.js with `node:sqlite`: `tsx sync.ts <first seed>` reads those of 30 000 worlds that are synchronized, and two that once failed.
import { checkSeeds, checkWorlds } from "../../support/worlds/check-worlds.js";

await checkSeeds([720_005_669, 720_005_961]);
await checkWorlds(Number(process.argv[2]), 30_000, "sync");
