// `tsx sync.ts <first seed>` reads those of 30 000 worlds that are synchronized.
import { checkWorlds } from "../../support/worlds/check-worlds.js";

await checkWorlds(Number(process.argv[2]), 30_000, { only: "sync" });
