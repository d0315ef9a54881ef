import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTurns, type Turn, type TurnRequest, type Turns } from './turns.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const asker: TurnRequest = { subject: 'ask', canBeAsked: true, maxWaitMs: 30_000, maxHoldMs: 15_000 };
const unaskable: TurnRequest = { ...asker, canBeAsked: false };
const unknown: TurnRequest = { ...asker, subject: 'sum' };
const { signal } = new AbortController();

function take(turns: Turns, request: TurnRequest): Turn {
  const turn = turns.tryTake(request);
  if (!turn) throw new Error('The request has to wait');
  return turn;
}

/** Makes it known that the tool does not ask. */
function runQuietly(turns: Turns, request: TurnRequest): void {
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
    const turn = await turns.take(asker);
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
  const failed = turns.take({ ...asker, maxWaitMs: 1 });
  await expect(failed).rejects.toMatchObject({ code: 'CALL_TIMED_OUT', data: { reached: false } });
});

test('a request whose tool is not known to ask starts beside a slow one instead of failing', async () => {
  const turns = createTurns('files');
  const slow = take(turns, asker);
  vi.useRealTimers();
  const late = await turns.take({ ...unknown, maxWaitMs: 1 });
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
  first.openQuestion();
  first.abandon();
  take(turns, asker);
});

/** Opens a question that is not answered soon. */
function openQuestion(turn: Turn): void {
  turn.openQuestion();
  vi.advanceTimersByTime(250);
}

test('a question that is answered at once lets no other request start', async () => {
  const turns = createTurns('s');
  const first = take(turns, asker);
  first.openQuestion();
  expect(turns.tryTake(unknown)).toBeUndefined();
  await first.resume(signal);
  first.closeQuestion(true);
  vi.advanceTimersByTime(1_000);
  expect(turns.tryTake(unknown)).toBeUndefined();
});

test('while a question is open, requests of tools that are not known to ask start at once, before those that wait', async () => {
  const turns = createTurns('s');
  const first = take(turns, asker);
  const waitingSum = turns.take(unknown);
  const nextAsker = vi.fn<(turn: Turn) => void>();
  openQuestion(first);
  void turns.take(asker).then(nextAsker);
  const sum = await waitingSum;
  sum.end(true);
  take(turns, unknown).end(true);
  first.closeQuestion(true);
  expect(turns.tryTake(unknown)).toBeUndefined();
  expect(nextAsker).not.toHaveBeenCalled();
  first.end(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(nextAsker).toHaveBeenCalled();
});

test('an answer is sent when the requests that started beside its question have ended', async () => {
  const turns = createTurns('s');
  const first = take(turns, asker);
  openQuestion(first);
  const sum = take(turns, unknown);
  const resumed = vi.fn<() => void>();
  void first.resume(signal).then(resumed);
  expect(turns.tryTake(unknown), 'nothing more starts beside it').toBeUndefined();
  await vi.advanceTimersByTimeAsync(9_000);
  expect(resumed).not.toHaveBeenCalled();
  sum.end(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(resumed).toHaveBeenCalled();
});

test('an answer is sent after ten seconds when a slow request beside its question goes on', async () => {
  const turns = createTurns('s');
  const resumeClock = vi.fn<() => void>();
  const first = take(turns, { ...asker, onWait: () => resumeClock });
  openQuestion(first);
  take(turns, unknown);
  const resumed = first.resume(signal);
  await vi.advanceTimersByTimeAsync(10_000);
  await resumed;
  expect(resumeClock).toHaveBeenCalledOnce();
});

/** A request with an open question, and a second one that was started beside it and may have asked too. */
function startBeside(turns: Turns): [Turn, Turn] {
  const first = take(turns, asker);
  openQuestion(first);
  const second = take(turns, unknown);
  second.openQuestion();
  return [first, second];
}

test('a question beside an open one belongs to the later request once the server has replied to the earlier one', async () => {
  const [first, second] = startBeside(createTurns('s'));
  const isCertain = second.outlasts([first], signal);
  await first.resume(signal);
  first.closeQuestion(true);
  first.end(true);
  expect(await isCertain).toBe(true);
});

test.each<[string, (first: Turn, second: Turn) => void]>([
  ['the earlier request is cancelled', (first) => first.abandon()],
  ['the later request ends first', (_first, second) => second.end(true)],
  [
    'the earlier question failed, which may end its request while another question of it is open',
    (first) => {
      first.closeQuestion(false);
      first.end(true);
    },
  ],
  [
    'the earlier tool asks several questions at once',
    (first) => {
      first.openQuestion();
      first.closeQuestion(true);
      first.closeQuestion(true);
      first.end(true);
    },
  ],
  ['it takes longer than a call may wait', () => void vi.advanceTimersByTime(30_000)],
])('a question beside an open one stays uncertain when %s', async (_what, happen) => {
  const [first, second] = startBeside(createTurns('s'));
  const isCertain = second.outlasts([first], signal);
  happen(first, second);
  expect(await isCertain).toBe(false);
});

test('two questions that would wait for the end of each other are both uncertain', async () => {
  const [first, second] = startBeside(createTurns('s'));
  const isCertain = second.outlasts([first], signal);
  first.closeQuestion(true);
  first.openQuestion();
  expect(await Promise.all([first.outlasts([second], signal), isCertain])).toEqual([false, false]);
});

test('a question without an answer is withdrawn when another request needs its turn and the hold time has passed', async () => {
  const turns = createTurns('s');
  const first = take(turns, asker);
  const withdrawn: unknown[] = [];
  first.openQuestion((cause) => {
    withdrawn.push(cause.code);
    first.abandon();
  });
  await vi.advanceTimersByTimeAsync(14_000);
  const second = turns.take(asker);
  await vi.advanceTimersByTimeAsync(900);
  expect(withdrawn).toEqual([]);
  await vi.advanceTimersByTimeAsync(200);
  expect(withdrawn).toEqual(['CALL_TIMED_OUT']);
  (await second).end(true);
});

test('a question without an answer stays open while no other request needs its turn', async () => {
  const turns = createTurns('s');
  const first = take(turns, asker);
  let isWithdrawn = false;
  first.openQuestion(() => {
    isWithdrawn = true;
    first.abandon();
  });
  await vi.advanceTimersByTimeAsync(100_000);
  expect(isWithdrawn).toBe(false);
  (await turns.take(asker)).end(true);
  expect(isWithdrawn).toBe(true);
});

test('a question without an answer is withdrawn when a question beside it waits for its end', async () => {
  const turns = createTurns('s');
  const first = take(turns, asker);
  first.openQuestion(() => first.abandon());
  await vi.advanceTimersByTimeAsync(1_000);
  const second = take(turns, unknown);
  second.openQuestion();
  const isCertain = second.outlasts([first], signal);
  await vi.advanceTimersByTimeAsync(14_100);
  expect(first.hasEnded).toBe(true);
  expect(await isCertain).toBe(false);
});

test('a question on the stream of its request does not make its tool run alone, and is withdrawn like others', async () => {
  const turns = createTurns('s');
  const overHttp = { ...unknown, hasOwnStream: true };
  const first = take(turns, overHttp);
  first.openQuestion(() => first.abandon(), true);
  take(turns, overHttp).end(true);
  await vi.advanceTimersByTimeAsync(16_000);
  take(turns, unknown).recordQuestion();
  expect(first.hasEnded).toBe(false);
  const waiting = turns.take(unknown);
  await vi.advanceTimersByTimeAsync(0);
  expect(first.hasEnded).toBe(true);
  void waiting.catch(() => {});
});
