import { type FileHandle, open } from "node:fs/promises";

/** What is used of a file handle. */
export type WritableFile = Pick<FileHandle, "write" | "sync" | "close">;

/** Opens a file for an export at a position: what follows is cut off. */
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

/** Writes text to a file from a position on. */
export class FileSink {
  readonly #path: string;
  readonly #file: WritableFile;
  /** One buffer for all writes: memory of many would be freed late. */
  #buffer = Buffer.allocUnsafeSlow(256 * 1024);
  #position: number;

  constructor(path: string, file: WritableFile, position: number) {
    this.#path = path;
    this.#file = file;
    this.#position = position;
  }

  /** Writes a text. A full disk can accept the beginning of it. */
  async write(text: string): Promise<void> {
    const size = Buffer.byteLength(text);
    if (size > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(size);
    this.#buffer.write(text);
    try {
      for (let written = 0; written < size; ) {
        const { bytesWritten } = await this.#file.write(this.#buffer, written, size - written, this.#position);
        written += bytesWritten;
        this.#position += bytesWritten;
      }
    } catch (error) {
      throw new Error(`Cannot write ${this.#path}: ${error instanceof Error ? error.message : error}.`, {
        cause: error,
      });
    }
  }

  /** Waits until the content is on the disk. */
  sync(): Promise<void> {
    return this.#file.sync();
  }

  /** Closes the file once its content is on the disk. */
  async close(): Promise<void> {
    try {
      await this.sync();
    } finally {
      await this.#file.close();
    }
  }
}
