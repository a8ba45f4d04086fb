import { cpSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Puts the build of the project where a program in another folder would install the package. A link to the whole project would
 * contain itself, and tools that list folders would follow it without end.
 *
 * @param modules - The `node_modules` of the program.
 */
export function linkPackage(modules: string): void {
  const folder = join(modules, "vegaprotocol-client");
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, "package.json"), join(folder, "package.json"));
  if (!existsSync(join(folder, "dist"))) symlinkSync(join(root, "dist"), join(folder, "dist"), "junction");
}
