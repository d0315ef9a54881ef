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
  readonly onOversize: (line: OversizeLine) => void;
}

const newline = 0x0a;
const edgeBytes = 2_048;

/** Splits a byte stream into lines and buffers at most `maxBytes` of one line. */
export function createLineReader({ maxBytes, onLine, onOversize }: LineReaderOptions): LineReader {
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
    const line = Buffer.concat(parts, length);
    dropping = {
      bytes: length,
      head: Buffer.from(line.subarray(0, edgeBytes)),
      tail: Buffer.from(line.subarray(-edgeBytes)),
    };
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
    const line = (parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, length)).toString('utf8');
    parts = [];
    length = 0;
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
