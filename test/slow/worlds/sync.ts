// Runs on a Node.js with `node:sqlite`: `tsx sync.ts <first seed>` reads the worlds that are synchronized, of 30 000.
import { checkWorlds } from "../../support/world-readers.js";

await checkWorlds(Number(process.argv[2]), 30_000, "sync");
