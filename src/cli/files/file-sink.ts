import { type FileHandle, open } from "node:fs/promises";
import { Bytes } from "../output/bytes.js";
import { type Compression, codecOf } from "./compression.js";
import { LineDigest, type TextDigest } from "./line-digest.js";

/** What is used of a file handle. */
export type WritableFile = Pick<FileHandle, "write" | "sync" | "close">;

/** The part of a file that counts, and the digest of its text. */
export interface Written {
  /** In bytes of the file. */
  readonly size: number;
  readonly text: TextDigest;
}

/** Opens a file at a position: what follows is cut off. */
export async function openFile(file: string, position: number): Promise<WritableFile> {
  if (position === 0) return open(file, "w");
  const handle = await open(file, "r+");
  try {
    await handle.truncate(position);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return handle;
}

/** How many bytes of text are compressed at once. */
const memberSize = 1024 * 1024;

export interface FileSinkOptions {
  readonly path: string;
  readonly file: WritableFile;
  readonly compression: Compression | undefined;
  /** Where to begin, in bytes of the file. Default: 0. */
  readonly position?: number;
  /** That of the text before the position. */
  readonly digest?: LineDigest;
}

/** Writes text to a file from a position on, compressed if its name says so. */
export class FileSink {
  readonly #path: string;
  readonly #file: WritableFile;
  readonly #compress: ((content: Uint8Array) => Promise<Uint8Array>) | undefined;
  readonly #digest: LineDigest;
  /** What waits to be compressed. */
  readonly #waiting = new Bytes(0);
  #position: number;

  constructor({ path, file, compression, position = 0, digest = new LineDigest() }: FileSinkOptions) {
    this.#path = path;
    this.#file = file;
    this.#compress = compression && codecOf(compression)?.compress;
    this.#position = position;
    this.#digest = digest;
  }

  /**
   * Writes a text of complete lines. A full disk can accept the beginning of it.
   *
   * @param text - Bytes are not used after the promise has resolved.
   */
  async write(text: string | Uint8Array): Promise<void> {
    const content = typeof text === "string" ? Buffer.from(text) : text;
    if (this.#compress === undefined) await this.#append(content);
    this.#digest.add(content);
    if (this.#compress === undefined) return;
    this.#waiting.addBytes(content);
    if (this.#waiting.length >= memberSize) await this.#compressWaiting();
  }

  /** Waits until everything that was written is on the disk. */
  async commit(): Promise<Written> {
    await this.#compressWaiting();
    await this.#file.sync();
    return { size: this.#position, text: this.#digest.digest() };
  }

  /** Closes the file. What was not committed may not be there. */
  close(): Promise<void> {
    return this.#file.close();
  }

  /** Each call appends a complete compressed file: a sequence of them is one, too. */
  async #compressWaiting(): Promise<void> {
    if (this.#waiting.length === 0 || this.#compress === undefined) return;
    const content = await this.#compress(this.#waiting.content);
    this.#waiting.clear();
    await this.#append(content);
  }

  async #append(content: Uint8Array): Promise<void> {
    try {
      for (let written = 0; written < content.length; ) {
        const left = content.length - written;
        const { bytesWritten } = await this.#file.write(content, written, left, this.#position);
        written += bytesWritten;
        this.#position += bytesWritten;
      }
    } catch (error) {
      throw new Error(`Cannot write ${this.#path}: ${error instanceof Error ? error.message : error}.`, {
        cause: error,
      });
    }
  }
}
