import { crc32 } from 'node:zlib';
import type { OwnedStep } from '../../sql/engine.ts';

export type IntakeStep = Omit<OwnedStep, 'mustSync'>;

/** What a file holds from one emptying to the next. Each has its name, so that nothing older in the file passes for it. */
export interface Fill {
  readonly token: string;
  readonly number: number;
}

/** Steps that were written at once, as bytes: a line that says whose they are, two for each step, and a sum over it all. */
export function toFrame({ token, number }: Fill, steps: readonly IntakeStep[]): Buffer {
  let text = `${token} ${number} ${steps.length}\n`;
  for (const { owner, callId, at, body } of steps) text += `${owner} ${at} ${JSON.stringify(callId)}\n${body}\n`;
  const frame = Buffer.allocUnsafe(Buffer.byteLength(text) + sumLength);
  const end = frame.write(text);
  frame.write(toSum(frame.subarray(0, end)), end, 'latin1');
  return frame;
}

export interface ReadFrames {
  readonly fill?: Fill;
  readonly steps: readonly IntakeStep[];
  /** How much of the file that was. */
  readonly bytes: number;
}

/** The steps of the fill that begins the file, as far as they are whole. What follows the first broken one was never confirmed. */
export function readFrames(bytes: Buffer): ReadFrames {
  const steps: IntakeStep[] = [];
  let fill: Fill | undefined;
  for (let start = 0; ; ) {
    const frame = readFrame(bytes, start);
    if (!frame || (fill && !isSame(fill, frame.fill))) return { ...(fill && { fill }), steps, bytes: start };
    fill = frame.fill;
    steps.push(...frame.steps);
    start = frame.end;
  }
}

interface Frame {
  readonly fill: Fill;
  readonly steps: readonly IntakeStep[];
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
  // A file is longer than what is in it: what follows is empty, and looking for the end of a line in it would take long.
  if (start >= bytes.length || bytes[start] === 0) return undefined;
  const head = headForm.exec(line() ?? '');
  if (!head) return undefined;
  const [, token = '', number, count] = head;
  const steps: IntakeStep[] = [];
  for (let left = Number(count); left > 0; left--) {
    const step = stepForm.exec(line() ?? '');
    const body = line();
    if (!step || body === undefined) return undefined;
    const [, owner = '', time = '', id = ''] = step;
    steps.push({ owner, at: time, callId: id, body });
  }
  const end = at + sumLength;
  if (bytes.toString('latin1', at, end) !== toSum(bytes.subarray(start, at))) return undefined;
  // Only now is it sure that these are the texts that were written.
  const whole = steps.map((step) => ({ ...step, callId: JSON.parse(step.callId) as string }));
  return { fill: { token, number: Number(number) }, steps: whole, end };
}

function toSum(bytes: Buffer): string {
  return `${crc32(bytes).toString(16).padStart(8, '0')}\n`;
}

function isSame(one: Fill, other: Fill): boolean {
  return one.token === other.token && one.number === other.number;
}

const newline = 0x0a;
const sumLength = 9;
const headForm = /^([0-9a-z-]+) (\d{1,15}) (\d{1,9})$/;
const stepForm = /^(\S+) (\S+) (".*")$/;
