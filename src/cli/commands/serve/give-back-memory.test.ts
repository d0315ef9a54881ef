import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createEvents } from '../../../kernel/events.ts';
import type { ToolboxEvents } from '../../../toolbox.ts';
import { giveBackMemory } from './give-back-memory.ts';

function place({ running = 0, quietMs = 40 } = {}) {
  const events = createEvents<ToolboxEvents>();
  const state = { running, given: 0, held: 100 };
  const stats = () => ({ running: state.running, queued: 0, byKey: new Map() });
  const giving = giveBackMemory({
    toolbox: { on: events.on, stats },
    startMs: 40,
    quietMs,
    held: () => state.held,
    collect: () => {
      state.given++;
      state.held = 100;
    },
  });
  const work = (held: number) => {
    state.held = held;
    events.emit('server.changed', {} as never);
  };
  return { state, giving, work };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('memory is given back once after the start, and again after there was work', () => {
  const { state, giving, work } = place();
  using _giving = giving;
  vi.advanceTimersByTime(40);
  expect(state.given).toBe(1);
  vi.advanceTimersByTime(60_000);
  expect(state.given).toBe(1);
  work(200);
  vi.advanceTimersByTime(40);
  expect(state.given).toBe(2);
});

test('memory is not given back where little has come together', () => {
  const { state, giving, work } = place();
  using _giving = giving;
  vi.advanceTimersByTime(40);
  work(120);
  vi.advanceTimersByTime(60_000);
  expect(state.given).toBe(1);
});

test('memory is not given back while a call runs', () => {
  const { state, giving } = place({ running: 1 });
  using _giving = giving;
  vi.advanceTimersByTime(60_000);
  expect(state.given).toBe(0);
  state.running = 0;
  vi.advanceTimersByTime(40);
  expect(state.given).toBe(1);
});

test('after work it takes longer until memory is given back', () => {
  const { state, giving, work } = place({ quietMs: 600_000 });
  using _giving = giving;
  vi.advanceTimersByTime(40);
  work(200);
  vi.advanceTimersByTime(599_000);
  expect(state.given).toBe(1);
  vi.advanceTimersByTime(2_000);
  expect(state.given).toBe(2);
});

test('the collection that is used by itself works on this Node', async () => {
  const events = createEvents<ToolboxEvents>();
  const stats = () => ({ running: 0, queued: 0, byKey: new Map() });
  const collected = new WeakRef({});
  using _giving = giveBackMemory({ toolbox: { on: events.on, stats }, startMs: 20 });
  await vi.advanceTimersByTimeAsync(40);
  expect(collected.deref()).toBeUndefined();
});
