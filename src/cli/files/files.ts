import { open, readFile, rm, stat } from "node:fs/promises";
import { replaceFile } from "./replace-file.js";

/** The files of an export. */
export const stateFile = (file: string): string => `${file}.state`;
export const manifestFile = (file: string): string => `${file}.manifest.json`;
/** Where a file is written until it is complete. It has a state of its own. */
export const partialFile = (file: string): string => `${file}.partial`;
/** The new content of a file, which then takes its name. */
export const newFile = (file: string): string => `${file}.new`;

/** The size of a file in bytes; `undefined` if it does not exist. */
export const sizeOf = (file: string): Promise<number | undefined> =>
  stat(file).then(
    ({ size }) => size,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    },
  );

/** Writes JSON to a file that has either its earlier or its new content, whenever the process ends. */
export async function writeJson(file: string, value: object): Promise<void> {
  const temporary = newFile(file);
  const handle = await open(temporary, "w");
  try {
    await handle.writeFile(`${JSON.stringify(value, undefined, 2)}\n`);
    await handle.sync();
  } catch (error) {
    await handle.close();
    await rm(temporary, { force: true });
    throw error;
  }
  await handle.close();
  await replaceFile(temporary, file);
}

/** Reads a JSON object from a file; `undefined` if the file does not exist. */
export async function readJson(file: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // The same error as for other JSON.
  }
  throw new Error(`Expected ${file} to hold a JSON object.`);
}
