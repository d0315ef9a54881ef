import { afterEach, expect, test, vi } from 'vitest';
import { collectLog } from '../../test/support/fixtures.ts';
import { silentLog } from '../kernel/log.ts';
import type { ChatEvent } from './chat.ts';
import { createWatchers } from './watchers.ts';

const text = (index: number, added: string): ChatEvent => ({ kind: 'text', message: 'm', index, text: added });
const cut = (message: string): ChatEvent => ({ kind: 'cut', message });

afterEach(() => void vi.useRealTimers());

test('text is collected and delivered in order with other events', async () => {
  vi.useFakeTimers();
  const watchers = createWatchers({ log: silentLog, debounceMs: 5 });
  const heard: ChatEvent[] = [];
  watchers.watch('c', (event) => heard.push(event));
  for (const piece of ['a', 'b', 'c']) watchers.publish('c', text(0, piece));
  watchers.publish('c', text(1, 'd'));
  watchers.publish('elsewhere', cut('x'));
  expect(heard).toEqual([]);
  await vi.advanceTimersByTimeAsync(5);
  expect(heard).toEqual([text(0, 'abc'), text(1, 'd')]);
  watchers.publish('c', text(1, 'e'));
  watchers.publish('c', cut('m'));
  watchers.publish('c', text(1, 'f'));
  await vi.advanceTimersByTimeAsync(5);
  expect(heard.slice(2)).toEqual([text(1, 'e'), cut('m'), text(1, 'f')]);
});

test('a consistent read includes all earlier events and none of the later ones', async () => {
  const watchers = createWatchers({ log: silentLog, debounceMs: 1_000 });
  let state = '';
  const heard: string[] = [];
  let isBegun = false;
  watchers.watch('c', (event) => {
    if (isBegun && event.kind === 'text') heard.push(event.text);
  });
  const add = (piece: string) => {
    state += piece;
    watchers.publish('c', text(0, piece));
  };
  add('a');
  const looks = [1, 2].map(async () => {
    const seen = await watchers.readConsistent('c', () => state);
    isBegun = true;
    add('x');
    return seen;
  });
  add('b');
  // Of two that look at the same moment neither spoils what the other hears.
  expect(await Promise.all(looks)).toEqual(['ab', 'ab']);
  await watchers.readConsistent('c', () => {});
  expect(heard.join('')).toBe('xx');
});

test('a watcher that fails or leaves does not affect the others', async () => {
  vi.useFakeTimers();
  const { log, entries } = collectLog();
  const watchers = createWatchers({ log, debounceMs: 1 });
  const heard: ChatEvent[] = [];
  const listener = (event: ChatEvent) => void heard.push(event);
  watchers.watch('c', () => {
    throw new Error('no');
  });
  const leave = watchers.watch('c', listener);
  watchers.watch('c', listener);
  leave();
  watchers.publish('c', cut('m'));
  await vi.advanceTimersByTimeAsync(1);
  expect(heard).toEqual([cut('m')]);
  expect(entries.map(({ event }) => event)).toEqual(['chat.watcher-failed']);
});

test('a conversation without watchers keeps no state, and a pending read still resolves', async () => {
  const watchers = createWatchers({ log: silentLog });
  const leave = watchers.watch('c', () => {});
  const look = watchers.readConsistent('c', () => 'seen');
  leave();
  expect(await look).toBe('seen');
  watchers.publish('c', cut('m'));
  expect(await watchers.readConsistent('c', () => 'again')).toBe('again');
});
