import { crc32 } from 'node:zlib';
import type { OwnedStep } from '../../sql/engine.ts';

export type SpooledStep = Omit<OwnedStep, 'mustSync'>;

/** Identifies the content of a file between two drains, so that older content in the file is not taken for it. */
export interface Segment {
  readonly token: string;
  readonly number: number;
}

/** Serializes steps that are written together: a header line, two lines for each step, and a checksum. */
export function toFrame({ token, number }: Segment, steps: readonly SpooledStep[]): Buffer {
  let text = `${token} ${number} ${steps.length}\n`;
  for (const { owner, callId, at, body } of steps) text += `${owner} ${at} ${JSON.stringify(callId)}\n${body}\n`;
  const frame = Buffer.allocUnsafe(Buffer.byteLength(text) + sumLength);
  const end = frame.write(text);
  frame.write(toSum(frame.subarray(0, end)), end, 'latin1');
  return frame;
}

export interface ReadFrames {
  readonly segment?: Segment;
  readonly steps: readonly SpooledStep[];
  /** The number of bytes read. */
  readonly bytes: number;
}

/** Reads the intact frames of the segment at the start of the file. Frames after the first broken one were never confirmed. */
export function readFrames(bytes: Buffer): ReadFrames {
  const steps: SpooledStep[] = [];
  let segment: Segment | undefined;
  for (let start = 0; ; ) {
    const frame = readFrame(bytes, start);
    if (!frame || (segment && !isSame(segment, frame.segment))) return { segment, steps, bytes: start };
    segment = frame.segment;
    steps.push(...frame.steps);
    start = frame.end;
  }
}

interface Frame {
  readonly segment: Segment;
  readonly steps: readonly SpooledStep[];
  readonly end: number;
}

function readFrame(bytes: Buffer, start: number): Frame | undefined {
  let at = start;
  /** Moves behind the current line and returns its end. */
  const passLine = (): number | undefined => {
    const end = bytes.indexOf(newline, at);
    if (end < 0) return undefined;
    at = end + 1;
    return end;
  };
  const line = (): string => {
    const from = at;
    return bytes.toString('utf8', from, passLine() ?? from);
  };
  // The file is preallocated: the rest is empty, and searching it for a line end would be slow.
  if (start >= bytes.length || bytes[start] === 0) return undefined;
  const head = headForm.exec(line());
  if (!head) return undefined;
  const [, token = '', number, count] = head;
  const found: FoundStep[] = [];
  for (let left = Number(count); left > 0; left--) {
    const step = stepForm.exec(line());
    const bodyStart = at;
    const bodyEnd = passLine();
    if (!step || bodyEnd === undefined) return undefined;
    const [, owner = '', time = '', quotedId = ''] = step;
    found.push({ owner, time, quotedId, bodyStart, bodyEnd });
  }
  const end = at + sumLength;
  if (bytes.toString('latin1', at, end) !== toSum(bytes.subarray(start, at))) return undefined;
  // Parsed only after the checksum matched.
  const steps = found.map((step) => new FramedStep(bytes, step));
  return { segment: { token, number: Number(number) }, steps, end };
}

/** The parts of a step in the bytes of a frame. */
interface FoundStep {
  readonly owner: string;
  readonly time: string;
  /** The id of the call as JSON. */
  readonly quotedId: string;
  readonly bodyStart: number;
  readonly bodyEnd: number;
}

/** A step of a frame. Its body is decoded on demand, because a later step in the same file replaces most steps. */
class FramedStep implements SpooledStep {
  readonly owner: string;
  readonly at: string;
  readonly callId: string;
  readonly #bytes: Buffer;
  readonly #bodyStart: number;
  readonly #bodyEnd: number;

  constructor(bytes: Buffer, { owner, time, quotedId, bodyStart, bodyEnd }: FoundStep) {
    this.owner = owner;
    this.at = time;
    this.callId = JSON.parse(quotedId);
    this.#bytes = bytes;
    this.#bodyStart = bodyStart;
    this.#bodyEnd = bodyEnd;
  }

  get body(): string {
    return this.#bytes.toString('utf8', this.#bodyStart, this.#bodyEnd);
  }
}

function toSum(bytes: Buffer): string {
  return `${crc32(bytes).toString(16).padStart(8, '0')}\n`;
}

function isSame(one: Segment, other: Segment): boolean {
  return one.token === other.token && one.number === other.number;
}

const newline = 0x0a;
const sumLength = 9;
const headForm = /^([0-9a-z-]+) (\d{1,15}) (\d{1,9})$/;
const stepForm = /^(\S+) (\S+) (".*")$/;
