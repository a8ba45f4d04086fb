import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { Transform } from "node:stream";
import { promisify } from "node:util";
import zlib from "node:zlib";

/** The suffixes of names of compressed files. */
export const compressions = ["gz", "zst"] as const;
export type Compression = (typeof compressions)[number];

type Compress = (content: Uint8Array) => Promise<Uint8Array>;

interface Codec {
  readonly compress: Compress;
  readonly createDecompressor: () => Transform & { readonly bytesWritten: number };
}

/** Zstandard came with Node.js 22.15; the types of Node.js 20 do not have it. */
const zstd = zlib as unknown as {
  readonly zstdCompress?: (content: Uint8Array, done: (error: Error | null, result: Uint8Array) => void) => void;
  readonly createZstdDecompress?: Codec["createDecompressor"];
};

/** `undefined` if this runtime does not have the compression. */
export function codecOf(compression: Compression): Codec | undefined {
  if (compression === "gz")
    return { compress: promisify<Uint8Array, Uint8Array>(zlib.gzip), createDecompressor: zlib.createGunzip };
  const { zstdCompress, createZstdDecompress } = zstd;
  if (zstdCompress === undefined || createZstdDecompress === undefined) return undefined;
  return { compress: promisify(zstdCompress), createDecompressor: createZstdDecompress };
}

/**
 * The text of a file in bytes.
 *
 * @param size - How many bytes of the file are read. Default: all.
 * @throws if the file is not compressed as its name says.
 */
export async function* readContent(
  file: string,
  compression: Compression | undefined,
  size = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array, undefined, undefined> {
  const open = (start: number) => createReadStream(file, { start, end: size - 1, highWaterMark: 256 * 1024 });
  if (size === 0) return undefined;
  if (compression === undefined) {
    yield* open(0);
    return undefined;
  }
  const codec = codecOf(compression);
  if (codec === undefined) throw new Error(`This version of Node.js cannot read ${file}: it has no Zstandard.`);
  const end = Math.min(size, (await stat(file)).size);
  // A file is a sequence of compressed members. Decompressors for gzip read all; those for Zstandard can end after the first.
  for (let position = 0; position < end; ) {
    const source = open(position);
    const decompressor = codec.createDecompressor();
    source.on("error", (error) => decompressor.destroy(error)).pipe(decompressor);
    try {
      yield* decompressor;
    } catch (error) {
      const reason = error instanceof Error ? error.message : error;
      throw new Error(`Expected ${file} to be compressed as its name says: ${reason}.`, { cause: error });
    } finally {
      source.destroy();
    }
    if (decompressor.bytesWritten === 0) throw new Error(`Expected ${file} to be compressed as its name says.`);
    position += decompressor.bytesWritten;
  }
  return undefined;
}
