import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { startStopwatch } from '../../../toolwharf/kernel/stopwatch.ts';

/** A client on a pair of pipes. */
export interface StdioClient {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal?: AbortSignal;
  /** Whether all requests are answered, except those that last as long as the connection. */
  readonly isAnswered: () => boolean;
}

const lastAnswersMs = 10_000;
const pollMs = 20;

/**
 * Resolves when the client has disconnected. The requests that it sent before the end of its input are still answered, as in
 * `printf … | toolwharf stdio`, for ten seconds at most.
 */
export async function untilDisconnected({ input, output, signal, isAnswered }: StdioClient): Promise<void> {
  let isGone = signal?.aborted ?? false;
  await new Promise<void>((resolve) => {
    const leave = () => {
      isGone = true;
      resolve();
    };
    for (const event of ['end', 'close']) input.once(event, resolve);
    input.once('error', leave);
    // An output error means that the client has disconnected.
    output.once('error', leave);
    signal?.addEventListener('abort', leave, { once: true });
    if (isGone) resolve();
  });
  const age = startStopwatch();
  while (!isGone && !isAnswered() && age() < lastAnswersMs) await sleep(pollMs);
}
