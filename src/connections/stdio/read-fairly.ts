import type { Readable } from 'node:stream';
import { type Pace, pauseMs, pieceBytes } from '../pace.ts';

/** Reads a child's output: at once while it answers, in turns when its pace is spent. */
export function readFairly(stream: Readable, push: (piece: Buffer) => void, pace: Pace): void {
  /** False when it stopped for a while, and goes on by itself. */
  function feed(chunk: Buffer): boolean {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      push(chunk.subarray(at, at + pieceBytes));
      if (!pace.isSpent()) continue;
      stream.pause();
      const rest = chunk.subarray(at + pieceBytes);
      setTimeout(() => feed(rest) && stream.resume(), pauseMs).unref();
      return false;
    }
    return true;
  }

  stream.on('data', feed);
}
