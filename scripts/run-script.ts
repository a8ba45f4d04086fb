import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Runs the main function of a script, unless the script was imported. An error is printed as its message, without a stack
 * trace, and ends the process with status 1.
 *
 * @param url - The `import.meta.url` of the script.
 */
export async function runScript(url: string, main: () => void | Promise<void>): Promise<void> {
  const [, program] = process.argv;
  // Through a link, such as a junction of Windows, they have different names.
  if (program === undefined || realpathSync.native(program) !== realpathSync.native(fileURLToPath(url))) return;
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
