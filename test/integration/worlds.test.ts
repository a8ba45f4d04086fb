import { test } from "vitest";
import { runs } from "../support/runs.js";
import { checkSeeds, checkWorlds } from "../support/worlds/check-worlds.js";

// `test/slow/worlds` reads others each night.
test("random worlds are read completely up to the coverage, or end with an error whose `resume` gives exactly the rest", async () => {
  await checkWorlds(1, runs(100).numRuns);
}, 600_000);

test("worlds that were once read with a gap, a late start or a needless error are read completely", async () => {
  const ofHistory = [
    5597, 197_511, 199_358, 772_169, 4_400_434, 4_400_924, 9_910_537, 88_002_607, 88_003_152, 700_002_072, 900_002_327,
    831_200_029, 831_200_710, 831_200_738, 831_201_288, 831_201_672, 831_201_680, 61_003_141, 61_005_900, 150_008_336,
    220_000_272, 220_001_545, 230_001_149, 230_003_157, 240_002_263, 240_002_383, 240_003_583, 240_003_693, 250_001_134,
    250_002_145, 250_004_091, 260_000_275, 260_007_082, 300_000_318, 300_003_655, 310_004_685, 310_024_702, 310_027_350,
    320_006_613,
  ];
  const ofPlaces = [
    361, 2151, 6042, 51_807, 52_305, 8657, 710_000_107, 710_000_664, 77_000_968, 77_001_323, 77_001_457, 831_200_818,
    831_201_027, 831_240_945, 831_301_300, 150_002_060,
  ];
  const ofMovedVotes = [
    495, 5838, 700_001_273, 431_200_077, 431_202_382, 831_202_563, 900_000_465, 900_001_168, 900_001_584,
  ];
  const ofSignatures = [900_003_283, 61_004_643, 410_003_199, 430_001_221];
  await checkSeeds([...ofHistory, ...ofPlaces, ...ofMovedVotes, ...ofSignatures]);
}, 60_000);
