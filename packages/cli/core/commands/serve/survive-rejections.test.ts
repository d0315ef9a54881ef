import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { createLog } from '../../../../toolwharf/kernel/log.ts';
import { surviveRejections } from './run-gateway.ts';

test('a rejection that nobody handled is logged with its stack until the gateway ends', () => {
  const messages: string[] = [];
  const source = new EventEmitter() as unknown as NodeJS.Process;
  const log = createLog(({ level, event, message }) => messages.push(`${level} ${event} ${message}`));
  const guard = surviveRejections(log, source);
  source.emit('unhandledRejection', new Error('disk full'), Promise.resolve());
  source.emit('unhandledRejection', undefined, Promise.resolve());
  expect(messages).toEqual([
    expect.stringMatching(/^error gateway\.unhandled .*disk full\n +at .*survive-rejections/s),
    expect.stringContaining('unknown error'),
  ]);
  guard[Symbol.dispose]();
  expect(source.listenerCount('unhandledRejection')).toBe(0);
});
