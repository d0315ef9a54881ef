import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createStderrTail } from '../stderr-tail.ts';
import { limitStart } from './watch-start.ts';

const pulling = ["Unable to find image 'image:latest' locally", 'latest: Pulling from image', ''].join('\n');

/** A program that pulls an image, and the message with which its start is ended. */
function startPull({ maxMs }: { readonly maxMs: number }) {
  const stderr = createStderrTail();
  stderr.push(pulling);
  const messages: string[] = [];
  const { promise: expired, resolve } = Promise.withResolvers<string>();
  const limit = limitStart({ pid: null, stderr }, { timeoutMs: 500, maxMs, pulls: true }, (message) => {
    messages.push(message);
    resolve(message);
  });
  return { stderr, messages, expired, [Symbol.dispose]: () => limit[Symbol.dispose]() };
}

test('the timeout of a server begins when its image has been pulled', async () => {
  using start = startPull({ maxMs: 600_000 });
  await wait(2_000);
  expect(start.messages).toEqual([]);
  start.stderr.push('Status: Downloaded newer image for image:latest\n');
  expect(await start.expired).toBe('No answer within 500 ms');
});

test('a pull that takes longer than installTimeout is ended', async () => {
  using start = startPull({ maxMs: 1_000 });
  expect(await start.expired).toBe(
    'Not ready within 1000 ms. If its image takes longer to install, raise installTimeout',
  );
});
