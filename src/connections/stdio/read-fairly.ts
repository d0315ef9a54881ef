import type { Readable } from 'node:stream';

export interface FairReading {
  /** Counts a message that nobody asked for. */
  noteUnasked(): void;
}

export interface FairReadingOptions {
  /** Messages nobody asked for that are read without a pause; 250. */
  readonly burst?: number;
  /** More of them than this are left waiting in the pipe; 5 000. */
  readonly perSecond?: number;
}

const pieceBytes = 4_096;
const pauseMs = 10;

/**
 * Reads a child's output, at once while it answers, in turns when it mostly talks unasked: a storm of notifications
 * slows down the server that sends it, not the others.
 */
export function readFairly(
  stream: Readable,
  push: (piece: Buffer) => void,
  { burst = 250, perSecond = 5_000 }: FairReadingOptions = {},
): FairReading {
  let allowance = burst;
  let countedAt = performance.now();

  function isSpent(): boolean {
    if (allowance > 0) return false;
    const now = performance.now();
    allowance = Math.min(burst, allowance + ((now - countedAt) * perSecond) / 1_000);
    countedAt = now;
    return allowance <= 0;
  }

  /** False when it stopped for a while, and goes on by itself. */
  function feed(chunk: Buffer): boolean {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      push(chunk.subarray(at, at + pieceBytes));
      if (!isSpent()) continue;
      stream.pause();
      const rest = chunk.subarray(at + pieceBytes);
      setTimeout(() => feed(rest) && stream.resume(), pauseMs).unref();
      return false;
    }
    return true;
  }

  stream.on('data', feed);
  return {
    noteUnasked() {
      allowance--;
    },
  };
}
