import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Recording, replayFetch } from "../../testing/index.js";
import type { CommandContext } from "../command.js";
import { type ExitCode, UsageError } from "../exit.js";
import { recordingsFile, serveUntilInterrupted } from "../recordings.js";

/** Serves recorded responses until the program is interrupted. */
export async function replay(context: CommandContext): Promise<ExitCode> {
  const [folder = ""] = context.positionals;
  const file = join(folder, recordingsFile);
  const content = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw error.code === "ENOENT" ? new UsageError(`Expected ${file}, which the command record writes.`) : error;
  });
  const lines = content.split("\n").filter((line) => line !== "");
  if (lines.length === 0) throw new UsageError(`Expected ${file} to have a recording, got an empty file.`);
  return serveUntilInterrupted(
    context,
    replayFetch(lines.map((line, index) => readLine(line, `${file}, line ${index + 1}`))),
  );
}

function readLine(line: string, place: string): Recording {
  try {
    const recording: Recording = JSON.parse(line);
    if (
      typeof recording.method === "string" &&
      typeof recording.path === "string" &&
      typeof recording.body === "string"
    )
      return recording;
  } catch {
    // Rejected below.
  }
  throw new UsageError(`Expected ${place} to be a recording.`);
}
