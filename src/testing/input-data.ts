/**
 * Reads the block height that a transaction's `inputData` names. The data is a protobuf message whose field 2 is the height;
 * its command is not read.
 *
 * @returns Zero if the message has no height; `undefined` if the data is no protobuf message.
 */
export function readBlockHeight(data: Uint8Array): bigint | undefined {
  const reader = { data, offset: 0 };
  let height = 0n;
  while (reader.offset < data.length) {
    const tag = readVarint(reader);
    if (tag === undefined || tag >> 3n === 0n) return undefined;
    const value = readValue(reader, Number(tag & 7n));
    if (value === undefined) return undefined;
    if (tag === heightTag) height = value;
  }
  return height;
}

/** Field 2, a varint. */
const heightTag = (2n << 3n) | 0n;

interface Reader {
  readonly data: Uint8Array;
  offset: number;
}

/** Reads a varint, or passes over a value of another type; `undefined` for damaged data. */
function readValue(reader: Reader, wireType: number): bigint | undefined {
  if (wireType === 0) return readVarint(reader);
  const length = wireType === 1 ? 8n : wireType === 5 ? 4n : wireType === 2 ? readVarint(reader) : undefined;
  if (length === undefined || BigInt(reader.offset) + length > BigInt(reader.data.length)) return undefined;
  reader.offset += Number(length);
  return 0n;
}

function readVarint(reader: Reader): bigint | undefined {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = reader.data[reader.offset++];
    if (byte === undefined) return undefined;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return BigInt.asUintN(64, value);
  }
  return undefined;
}
