import { afterEach, expect, test, vi } from 'vitest';
import { collectLog } from '../../test/support/fixtures.ts';
import { silentLog } from '../kernel/log.ts';
import type { ChatEvent } from './chat.ts';
import { createWatchers } from './watchers.ts';

const text = (index: number, added: string): ChatEvent => ({ kind: 'text', message: 'm', index, text: added });
const cut = (message: string): ChatEvent => ({ kind: 'cut', message });

afterEach(() => void vi.useRealTimers());

test('text is gathered, and told in its place among the rest', async () => {
  vi.useFakeTimers();
  const watchers = createWatchers({ log: silentLog, gatherMs: 5 });
  const heard: ChatEvent[] = [];
  watchers.watch('c', (event) => heard.push(event));
  for (const piece of ['a', 'b', 'c']) watchers.tell('c', text(0, piece));
  watchers.tell('c', text(1, 'd'));
  watchers.tell('elsewhere', cut('x'));
  expect(heard).toEqual([]);
  await vi.advanceTimersByTimeAsync(5);
  expect(heard).toEqual([text(0, 'abc'), text(1, 'd')]);
  watchers.tell('c', text(1, 'e'));
  watchers.tell('c', cut('m'));
  watchers.tell('c', text(1, 'f'));
  await vi.advanceTimersByTimeAsync(5);
  expect(heard.slice(2)).toEqual([text(1, 'e'), cut('m'), text(1, 'f')]);
});

test('whoever looks has what was told before, and hears the rest', async () => {
  const watchers = createWatchers({ log: silentLog, gatherMs: 1_000 });
  let state = '';
  const heard: string[] = [];
  let isBegun = false;
  watchers.watch('c', (event) => {
    if (isBegun && event.kind === 'text') heard.push(event.text);
  });
  const add = (piece: string) => {
    state += piece;
    watchers.tell('c', text(0, piece));
  };
  add('a');
  const looks = [1, 2].map(async () => {
    const seen = await watchers.look('c', () => state);
    isBegun = true;
    add('x');
    return seen;
  });
  add('b');
  // Of two that look at the same moment neither spoils what the other hears.
  expect(await Promise.all(looks)).toEqual(['ab', 'ab']);
  await watchers.look('c', () => {});
  expect(heard.join('')).toBe('xx');
});

test('one that fails, or leaves, does not disturb the others', async () => {
  vi.useFakeTimers();
  const { log, entries } = collectLog();
  const watchers = createWatchers({ log, gatherMs: 1 });
  const heard: ChatEvent[] = [];
  const listener = (event: ChatEvent) => void heard.push(event);
  watchers.watch('c', () => {
    throw new Error('no');
  });
  const leave = watchers.watch('c', listener);
  watchers.watch('c', listener);
  leave();
  watchers.tell('c', cut('m'));
  await vi.advanceTimersByTimeAsync(1);
  expect(heard).toEqual([cut('m')]);
  expect(entries.map(({ event }) => event)).toEqual(['chat.watcher-failed']);
});

test('a conversation nobody watches any more costs nothing, and who looked at it still sees it', async () => {
  const watchers = createWatchers({ log: silentLog });
  const leave = watchers.watch('c', () => {});
  const look = watchers.look('c', () => 'seen');
  leave();
  expect(await look).toBe('seen');
  watchers.tell('c', cut('m'));
  expect(await watchers.look('c', () => 'again')).toBe('again');
});
