import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createEvents } from '../../../../toolwharf/kernel/events.ts';
import type { ToolboxEvents } from '../../../../toolwharf/toolbox.ts';
import { releaseMemory } from './release-memory.ts';

function setUp({ running = 0, idleMs = 40 } = {}) {
  const events = createEvents<ToolboxEvents>();
  const state = { running, releases: 0, heapBytes: 100, utilization: 0 };
  const stats = () => ({ running: state.running, queued: 0, byKey: new Map() });
  const releasing = releaseMemory({
    toolbox: { on: events.on, calls: { stats } },
    startMs: 40,
    idleMs,
    heapBytes: () => state.heapBytes,
    utilization: () => state.utilization,
    collect: () => {
      state.releases++;
      state.heapBytes = 100;
    },
  });
  const work = (heapBytes: number) => {
    state.heapBytes = heapBytes;
    events.emit('server.changed', {} as never);
  };
  return { state, releasing, work };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('memory is released once after the start, and again after a period of work', () => {
  const { state, releasing, work } = setUp();
  using _releasing = releasing;
  vi.advanceTimersByTime(40);
  expect(state.releases).toBe(1);
  vi.advanceTimersByTime(60_000);
  expect(state.releases).toBe(1);
  work(200);
  vi.advanceTimersByTime(40);
  expect(state.releases).toBe(2);
});

test('memory is not released again if the heap has hardly grown', () => {
  const { state, releasing, work } = setUp();
  using _releasing = releasing;
  vi.advanceTimersByTime(40);
  work(120);
  vi.advanceTimersByTime(60_000);
  expect(state.releases).toBe(1);
});

test('memory is not released while a call runs', () => {
  const { state, releasing } = setUp({ running: 1 });
  using _releasing = releasing;
  vi.advanceTimersByTime(60_000);
  expect(state.releases).toBe(0);
  state.running = 0;
  vi.advanceTimersByTime(40);
  expect(state.releases).toBe(1);
});

test('memory is not released while the main thread is busy', () => {
  const { state, releasing } = setUp();
  using _releasing = releasing;
  state.utilization = 0.5;
  vi.advanceTimersByTime(60_000);
  expect(state.releases).toBe(0);
  state.utilization = 0;
  vi.advanceTimersByTime(60);
  expect(state.releases).toBe(1);
});

test('after the first release, a longer idle time is required', () => {
  const { state, releasing, work } = setUp({ idleMs: 600_000 });
  using _releasing = releasing;
  vi.advanceTimersByTime(40);
  work(200);
  vi.advanceTimersByTime(599_000);
  expect(state.releases).toBe(1);
  vi.advanceTimersByTime(2_000);
  expect(state.releases).toBe(2);
});

test('a heap whose full collection would take long is left to V8', () => {
  const { state, releasing, work } = setUp();
  using _releasing = releasing;
  work(200 * 1024 * 1024);
  vi.advanceTimersByTime(400);
  expect(state.releases).toBe(0);
});

test('the default collection frees unreachable objects', async () => {
  const events = createEvents<ToolboxEvents>();
  const stats = () => ({ running: 0, queued: 0, byKey: new Map() });
  const collected = new WeakRef({});
  using _releasing = releaseMemory({
    toolbox: { on: events.on, calls: { stats } },
    startMs: 20,
    heapBytes: () => 1,
    utilization: () => 0,
  });
  await vi.advanceTimersByTimeAsync(40);
  expect(collected.deref()).toBeUndefined();
});
