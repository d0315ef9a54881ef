const textOid = 25;
const bigintOid = 20;

/** A `text[]` in the binary format of PostgreSQL: unlike the text format, it needs no escaping and no parsing. */
export function encodeTexts(texts: readonly (string | null)[]): Buffer {
  let bytes = headerBytes + texts.length * 4;
  for (const text of texts) if (text !== null) bytes += Buffer.byteLength(text);
  const buffer = createArray(textOid, texts.length, bytes);
  let offset = headerBytes;
  for (const text of texts) {
    // The length of a null is -1.
    const length = text === null ? -1 : buffer.write(text, offset + 4);
    buffer.writeInt32BE(length, offset);
    offset += 4 + Math.max(length, 0);
  }
  return buffer;
}

/** A `bigint[]` in the binary format of PostgreSQL, of whole numbers. */
export function encodeBigints(numbers: readonly (number | null)[]): Buffer {
  const present = numbers.filter((number) => number !== null).length;
  const buffer = createArray(bigintOid, numbers.length, headerBytes + numbers.length * 4 + present * 8);
  let offset = headerBytes;
  for (const number of numbers) {
    buffer.writeInt32BE(number === null ? -1 : 8, offset);
    offset += 4;
    if (number === null) continue;
    const high = Math.floor(number / 2 ** 32);
    buffer.writeInt32BE(high, offset);
    buffer.writeUInt32BE(number - high * 2 ** 32, offset + 4);
    offset += 8;
  }
  return buffer;
}

const headerBytes = 20;

function createArray(elementOid: number, length: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  const dimensions = 1;
  const mayHaveNulls = 1;
  const firstIndex = 1;
  for (const [at, value] of [dimensions, mayHaveNulls, elementOid, length, firstIndex].entries())
    buffer.writeInt32BE(value, at * 4);
  return buffer;
}
