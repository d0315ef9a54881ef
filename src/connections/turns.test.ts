import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTurns, type Turn, type Turns } from './turns.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const asker = { subject: 'ask', canBeAsked: true };
const unaskable = { subject: 'ask', canBeAsked: false };

function take(turns: Turns, request: typeof asker): Turn {
  const turn = turns.tryTake(request);
  if (!turn) throw new Error('The request has to wait');
  return turn;
}

/** Makes it known that the tool does not ask. */
function runQuietly(turns: Turns, request: typeof asker): void {
  for (let run = 0; run < 3; run++) take(turns, request).end(true);
}

test('requests of clients that cannot be asked run side by side', () => {
  const turns = createTurns('s');
  take(turns, unaskable);
  take(turns, unaskable);
  expect(turns.tryTake(asker)).toBeUndefined();
});

test('a request that may ask runs alone, and the others follow in their order', async () => {
  const turns = createTurns('s');
  const started: number[] = [];
  const first = take(turns, asker);
  const waiting = [1, 2, 3].map(async (number) => {
    const turn = await turns.take(asker, { maxWaitMs: 1_000 });
    started.push(number);
    turn.end(true);
  });
  expect(turns.tryTake(unaskable)).toBeUndefined();
  first.end(true);
  await Promise.all(waiting);
  expect(started).toEqual([1, 2, 3]);
});

test('tools that asked nothing in three calls run side by side, until one of them asks', () => {
  const turns = createTurns('s');
  runQuietly(turns, asker);
  const [one, two] = [take(turns, asker), take(turns, asker)];
  two.recordQuestion();
  one.end(true);
  two.end(true);
  take(turns, asker);
  expect(turns.tryTake(asker)).toBeUndefined();
});

test('requests whose responses have their own streams run side by side, until a question arrives on another stream', () => {
  const turns = createTurns('s');
  const streamed = { ...asker, hasOwnStream: true };
  const [one, two] = [take(turns, streamed), take(turns, streamed)];
  one.recordQuestion();
  one.end(true);
  two.end(true);
  take(turns, streamed);
  expect(turns.tryTake(streamed)).toBeUndefined();
});

test('a request whose tool asks fails when it waits too long for its turn, and says that it was not sent', async () => {
  const turns = createTurns('files');
  take(turns, asker).recordQuestion();
  vi.useRealTimers();
  const failed = turns.take(asker, { maxWaitMs: 1 });
  await expect(failed).rejects.toMatchObject({ code: 'CALL_TIMED_OUT', data: { reached: false } });
});

test('a request whose tool is not known to ask starts beside a slow one instead of failing', async () => {
  const turns = createTurns('files');
  const slow = take(turns, asker);
  vi.useRealTimers();
  const late = await turns.take({ subject: 'list', canBeAsked: true }, { maxWaitMs: 1 });
  expect([slow.hasEnded, late.hasEnded]).toEqual([false, false]);
  // Both still count: the next request waits for both.
  slow.end(true);
  expect(turns.tryTake(asker)).toBeUndefined();
  late.end(true);
  take(turns, asker);
});

test('a cancelled request holds its turn until the server has answered it or had time to stop', () => {
  const turns = createTurns('s');
  const first = take(turns, asker);
  first.abandon();
  expect(turns.tryTake(asker)).toBeUndefined();
  vi.advanceTimersByTime(3_000);
  const second = take(turns, asker);
  second.recordQuestion();
  second.abandon();
  vi.advanceTimersByTime(3_000);
  expect(turns.tryTake(asker)).toBeUndefined();
  second.end(true);
  take(turns, asker);
});

test('a request whose question is open when it is cancelled releases its turn at once', () => {
  const turns = createTurns('s');
  const first = take(turns, asker);
  first.openQuestions++;
  first.abandon();
  take(turns, asker);
});
