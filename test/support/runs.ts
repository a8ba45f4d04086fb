const factor = Number(process.env["TEST_RUNS"] ?? 0.25);
if (!(factor > 0)) throw new Error(`Expected TEST_RUNS to be a positive number, got ${process.env["TEST_RUNS"]}.`);

/**
 * The number of random cases of a property. The environment variable `TEST_RUNS` multiplies it: without it, a quarter of them are tried;
 * `.ci/run` tries half of them, and the CI workflow five times all of them.
 */
export const runs = (count: number): { numRuns: number } => ({ numRuns: Math.ceil(factor * count) });

/** Whether other versions and programs are tried as well, which prove the same. */
export const isNightly = factor > 1;

/** What the slow tests install. */
export const installed = isNightly ? {} : ({ omit: "dev" } as const);
