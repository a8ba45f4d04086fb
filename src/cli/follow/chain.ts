import type { Block } from "../../http/block.js";
import { UsageError } from "../exit.js";

/** A block as text, as in `1234567@1707497691513016000`. */
export const printBlock = ({ height, timestamp }: Block): string => `${height}@${timestamp}`;

/** Reads a block from the text of a flag or of a state. */
export function readBlockText(name: string, text: string): Block {
  const [, height = "", timestamp = ""] = /^(\d+)@(\d+)$/.exec(text) ?? [];
  if (height === "") {
    throw new UsageError(
      `Expected ${name} to be a block as HEIGHT@TIME, as in 1234567@1707497691513016000, got ${text}.`,
    );
  }
  return { height: BigInt(height), timestamp: BigInt(timestamp) };
}
