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
  const line = (): string | undefined => {
    const end = bytes.indexOf(newline, at);
    if (end < 0) return undefined;
    const text = bytes.toString('utf8', at, end);
    at = end + 1;
    return text;
  };
  // The file is preallocated: the rest is empty, and searching it for a line end would be slow.
  if (start >= bytes.length || bytes[start] === 0) return undefined;
  const head = headForm.exec(line() ?? '');
  if (!head) return undefined;
  const [, token = '', number, count] = head;
  const steps: SpooledStep[] = [];
  for (let left = Number(count); left > 0; left--) {
    const step = stepForm.exec(line() ?? '');
    const body = line();
    if (!step || body === undefined) return undefined;
    const [, owner = '', time = '', id = ''] = step;
    steps.push({ owner, at: time, callId: id, body });
  }
  const end = at + sumLength;
  if (bytes.toString('latin1', at, end) !== toSum(bytes.subarray(start, at))) return undefined;
  // Parsed only after the checksum matched.
  const whole = steps.map((step) => ({ ...step, callId: JSON.parse(step.callId) as string }));
  return { segment: { token, number: Number(number) }, steps: whole, end };
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
