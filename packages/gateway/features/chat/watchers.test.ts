import { afterEach, expect, test, vi } from 'vitest';
import { collectLog } from '../../../../test/support/fixtures.ts';
import { silentLog } from '../../../toolwharf/kernel/log.ts';
import type { ChatEvent } from './chat.ts';
import { createWatchers } from './watchers.ts';

const text = (index: number, added: string): ChatEvent => ({ kind: 'text', message: 'm', index, text: added });
const cut = (message: string): ChatEvent => ({ kind: 'cut', message });

afterEach(() => void vi.useRealTimers());

test('text is collected and delivered in order with other events', async () => {
  vi.useFakeTimers();
  const watchers = createWatchers({ log: silentLog, debounceMs: 5 });
  const received: ChatEvent[] = [];
  watchers.watch('c', (event) => received.push(event));
  for (const piece of ['a', 'b', 'c']) watchers.publish('c', text(0, piece));
  watchers.publish('c', text(1, 'd'));
  watchers.publish('elsewhere', cut('x'));
  expect(received).toEqual([]);
  await vi.advanceTimersByTimeAsync(5);
  expect(received).toEqual([text(0, 'abc'), text(1, 'd')]);
  watchers.publish('c', text(1, 'e'));
  watchers.publish('c', cut('m'));
  watchers.publish('c', text(1, 'f'));
  await vi.advanceTimersByTimeAsync(5);
  expect(received.slice(2)).toEqual([text(1, 'e'), cut('m'), text(1, 'f')]);
});

test('a consistent read includes all earlier events and none of the later ones', async () => {
  const watchers = createWatchers({ log: silentLog, debounceMs: 1_000 });
  let state = '';
  const received: string[] = [];
  let isBegun = false;
  watchers.watch('c', (event) => {
    if (isBegun && event.kind === 'text') received.push(event.text);
  });
  const add = (piece: string) => {
    state += piece;
    watchers.publish('c', text(0, piece));
  };
  add('a');
  const reads = [1, 2].map(async () => {
    const seen = await watchers.readConsistent('c', () => state);
    isBegun = true;
    add('x');
    return seen;
  });
  add('b');
  // Two concurrent reads do not affect each other.
  expect(await Promise.all(reads)).toEqual(['ab', 'ab']);
  await watchers.readConsistent('c', () => {});
  expect(received.join('')).toBe('xx');
});

test('a watcher that fails or unsubscribes does not affect the others', async () => {
  vi.useFakeTimers();
  const { log, entries } = collectLog();
  const watchers = createWatchers({ log, debounceMs: 1 });
  const received: ChatEvent[] = [];
  const listener = (event: ChatEvent) => void received.push(event);
  watchers.watch('c', () => {
    throw new Error('no');
  });
  const unsubscribe = watchers.watch('c', listener);
  watchers.watch('c', listener);
  unsubscribe();
  watchers.publish('c', cut('m'));
  await vi.advanceTimersByTimeAsync(1);
  expect(received).toEqual([cut('m')]);
  expect(entries.map(({ event }) => event)).toEqual(['chat.watcher-failed']);
});

test('a conversation without watchers stores no state, and a pending read still resolves', async () => {
  const watchers = createWatchers({ log: silentLog });
  const unsubscribe = watchers.watch('c', () => {});
  const read = watchers.readConsistent('c', () => 'seen');
  unsubscribe();
  expect(await read).toBe('seen');
  watchers.publish('c', cut('m'));
  expect(await watchers.readConsistent('c', () => 'again')).toBe('again');
});
