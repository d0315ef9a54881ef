import { PassThrough } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createPace, type PaceOptions } from '../pace.ts';
import { readFairly } from './read-fairly.ts';

/** A stream whose every byte is a message: `n` nobody asked for, anything else is an answer. */
function setUp(options: PaceOptions) {
  const stream = new PassThrough();
  let heard = '';
  const pace = createPace(options);
  const push = (piece: Buffer) => {
    heard += piece;
    for (const byte of piece) if (byte === 0x6e) pace.note();
  };
  readFairly(stream, push, pace);
  return { stream, heard: () => heard };
}

test('answers are read at once, however many', async () => {
  const { stream, heard } = setUp({ burst: 1, perSecond: 1 });
  stream.write('a'.repeat(50_000));
  await wait(1);
  expect(heard()).toHaveLength(50_000);
});

test('what nobody asked for is read in turns, in order and whole, to the end', async () => {
  const { stream, heard } = setUp({ burst: 1_000, perSecond: 1_000_000 });
  const sent = Array.from({ length: 20 }, (_, index) => `${index}:${'n'.repeat(3_000)}`).join('|');
  for (let at = 0; at < sent.length; at += 7_000) stream.write(sent.slice(at, at + 7_000));
  await wait(1);
  expect(heard().length).toBeLessThan(10_000);
  stream.end();
  await new Promise((resolve) => stream.once('end', resolve));
  await wait(20);
  expect(heard()).toBe(sent);
});
