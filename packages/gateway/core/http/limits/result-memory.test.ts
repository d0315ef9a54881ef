import { EventEmitter } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { createResultMemory, type ResultResponse } from './result-memory.ts';

afterEach(() => void vi.useRealTimers());

const kilobyte = 1_000;
const partOf = (kilobytes: number) => Buffer.alloc(kilobytes * kilobyte, 'x');
const ada = { id: 'ada', isLimited: true };
const bob = { id: 'bob', isLimited: true };

function openMemory(perCaller: number, total: number) {
  let time = 0;
  const memory = createResultMemory({
    limits: () => ({ total: total * kilobyte, perCaller: perCaller * kilobyte }),
    slowClientMs: () => 60_000,
    now: () => time,
  });
  return {
    memory,
    pass(ms: number) {
      time += ms;
    },
  };
}

function createResponse() {
  const events = new EventEmitter();
  const response = Object.assign(events, {
    writableFinished: false,
    destroyed: false,
    destroy() {
      response.destroyed = true;
      return response;
    },
  });
  return response as unknown as ResultResponse & { emit(event: 'close'): void; writableFinished: boolean };
}

test('a result counts while it is received, and until its response is closed', () => {
  const { memory } = openMemory(1_000, 1_000);
  const response = createResponse();
  const results = memory.open(ada, response);
  const reply = results.openReply('s/tool');
  reply.receive(partOf(60));
  expect(memory.used).toBe(0);
  reply.receive(partOf(140));
  expect(memory.used).toBe(200 * kilobyte);
  results[Symbol.dispose]();
  expect(memory.used).toBe(200 * kilobyte);
  response.emit('close');
  expect(memory.used).toBe(0);
});

test('a result of many small values counts with the memory that they need', () => {
  const { memory } = openMemory(10_000, 10_000);
  using results = memory.open(ada);
  results.openReply('s/tool').receive(Buffer.from(`[${'{},'.repeat(50_000)}{}]`));
  expect(memory.used).toBeGreaterThan(3_000 * kilobyte);
});

test('a reply beyond the limit of its caller is discarded with its memory, and the next call is refused before it is sent', () => {
  const { memory } = openMemory(400, 10_000);
  const first = memory.open(ada);
  first.openReply('s/tool').receive(partOf(350));
  {
    using second = memory.open(ada);
    const reply = second.openReply('s/tool');
    expect(() => reply.receive(partOf(100))).toThrow(
      expect.objectContaining({
        code: 'RESULT_DISCARDED',
        message: expect.stringContaining('limit of 400000 bytes of results in progress per caller'),
        data: { limit: 'result_bytes', max: 400 * kilobyte, reached: true },
      }),
    );
    expect(memory.used).toBe(350 * kilobyte);
  }
  const third = memory.open(ada);
  expect(() => third.openReply('s/tool')).toThrow(
    expect.objectContaining({ code: 'LIMIT_REACHED', data: expect.objectContaining({ retryAfterMs: 1_000 }) }),
  );
  expect(() => third.openReply('s/other')).not.toThrow();
  first[Symbol.dispose]();
  expect(() => memory.open(ada).openReply('s/tool')).not.toThrow();
  expect(memory.refusals).toEqual({ caller: 2, total: 0 });
});

test('beyond the limit of all callers, a call of another caller is refused with OVERLOADED', () => {
  const { memory } = openMemory(400, 500);
  memory.open(ada).openReply('s/tool').receive(partOf(380));
  using results = memory.open(bob);
  const reply = results.openReply('s/tool');
  expect(() => reply.receive(partOf(200))).toThrow(expect.objectContaining({ code: 'RESULT_DISCARDED' }));
  expect(memory.refusals).toEqual({ caller: 0, total: 1 });
});

test('messages before the reply do not count', () => {
  const { memory } = openMemory(300, 300);
  using results = memory.open(ada);
  const reply = results.openReply('s/tool');
  for (let message = 0; message < 10; message++) {
    reply.receive(partOf(200));
    reply.discard();
  }
  expect(memory.used).toBe(0);
});

test('if memory is short, the client that has been receiving the largest result for long is disconnected', () => {
  const { memory, pass } = openMemory(1_000, 1_000);
  const [small, large, recent] = [createResponse(), createResponse(), createResponse()];
  function leave(kilobytes: number, response: ResultResponse): void {
    using results = memory.open(ada, response);
    results.openReply(`s/${kilobytes}`).receive(partOf(kilobytes));
  }
  leave(200, small);
  leave(300, large);
  pass(10_000);
  leave(400, recent);
  using results = memory.open(bob);
  results.openReply('s/tool').receive(partOf(350));
  expect([small.destroyed, large.destroyed, recent.destroyed]).toEqual([false, true, false]);
  expect(memory.used).toBe(950 * kilobyte);
});

test('a client that does not receive a large result in time is disconnected, also if memory is not short', () => {
  vi.useFakeTimers();
  const { memory } = openMemory(1_000, 1_000);
  const response = createResponse();
  const results = memory.open(ada, response);
  results.openReply('s/tool').receive(partOf(200));
  results[Symbol.dispose]();
  vi.advanceTimersByTime(59_999);
  expect(response.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(response.destroyed).toBe(true);
  expect(memory.used).toBe(0);
});

test('a retained result counts until it is released', async () => {
  const { memory } = openMemory(1_000, 1_000);
  const retained = Promise.withResolvers<void>();
  const results = memory.open(ada);
  const reply = results.openReply('s/tool');
  results.retainUntil(retained.promise);
  results[Symbol.dispose]();
  reply.receive(partOf(200));
  expect(memory.used).toBe(200 * kilobyte);
  retained.resolve();
  await retained.promise;
  expect(memory.used).toBe(0);
});
