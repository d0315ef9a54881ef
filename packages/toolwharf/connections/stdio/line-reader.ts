/** A line over the size limit. */
export interface OversizeLine {
  readonly bytes: number;
  /** Its first and last bytes, in which the id of its request can be found. */
  readonly edges: string;
}

export interface LineReader {
  push(chunk: Buffer): void;
}

export interface LineReaderOptions {
  readonly maxBytes: number;
  readonly onLine: (line: string) => void;
  /** Called for a line of more than 64 KiB, with its first and last bytes. The line is dropped if it returns false. */
  readonly onLarge?: (edges: string, parts: readonly Buffer[]) => boolean;
  readonly onOversize: (line: OversizeLine) => void;
}

const newline = 0x0a;
const edgeBytes = 2_048;
const largeBytes = 64 * 1024;

/** Splits a byte stream into lines and buffers at most `maxBytes` of one line. */
export function createLineReader(options: LineReaderOptions): LineReader {
  const { maxBytes, onLine, onOversize, onLarge = () => true } = options;
  let parts: Buffer[] = [];
  let length = 0;
  let dropping: { bytes: number; head: Buffer; tail: Buffer } | undefined;

  function append(part: Buffer): void {
    if (part.length === 0) return;
    if (dropping) {
      dropping.bytes += part.length;
      dropping.tail = Buffer.concat([dropping.tail, part.subarray(-edgeBytes)]).subarray(-edgeBytes);
      return;
    }
    parts.push(part);
    length += part.length;
    if (length <= maxBytes) return;
    dropping = { bytes: length, head: headOf(parts), tail: tailOf(parts) };
    parts = [];
    length = 0;
  }

  function end(): void {
    if (dropping) {
      const { bytes, head, tail } = dropping;
      dropping = undefined;
      onOversize({ bytes, edges: `${head.toString('utf8')}\n${tail.toString('utf8')}` });
      return;
    }
    const whole = parts;
    const bytes = length;
    parts = [];
    length = 0;
    if (bytes > largeBytes && !onLarge(edgesOf(whole), whole)) return;
    const line = (whole.length === 1 ? (whole[0] as Buffer) : Buffer.concat(whole, bytes)).toString('utf8');
    if (line.trim() !== '') onLine(line);
  }

  return {
    push(chunk) {
      let start = 0;
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, start)) {
        append(chunk.subarray(start, at));
        end();
        start = at + 1;
      }
      append(chunk.subarray(start));
    },
  };
}

function edgesOf(parts: readonly Buffer[]): string {
  return `${headOf(parts).toString('utf8')}\n${tailOf(parts).toString('utf8')}`;
}

function headOf(parts: readonly Buffer[]): Buffer {
  let count = 0;
  for (let bytes = 0; count < parts.length && bytes < edgeBytes; count++) bytes += parts[count]?.length ?? 0;
  return Buffer.concat(parts.slice(0, count)).subarray(0, edgeBytes);
}

function tailOf(parts: readonly Buffer[]): Buffer {
  let start = parts.length;
  for (let bytes = 0; start > 0 && bytes < edgeBytes; ) bytes += parts[--start]?.length ?? 0;
  return Buffer.concat(parts.slice(start)).subarray(-edgeBytes);
}
