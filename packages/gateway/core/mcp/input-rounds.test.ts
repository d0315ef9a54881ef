import { expect, test } from 'vitest';
import type { JsonObject } from '../../../contract/json.ts';
import { type AbortSource, toAbortSignal } from '../../../toolwharf/kernel/abort-source.ts';
import { createInputRounds, type Round, type RoundClient } from './input-rounds.ts';

const text = { method: 'elicitation/create', params: { message: 'Who?' } };
const yes = { action: 'accept', content: { name: 'Ada' } };
const never = new AbortController().signal;

function roundOf(owner: string, answers: JsonObject = {}): Round {
  return { owner, answers, notify: () => {}, signal: new AbortController().signal };
}

/** A call that asks these questions at once and returns the answers. */
function asking(...keys: string[]): (client: RoundClient) => Promise<JsonObject> {
  return async ({ ask }) => {
    const answers = await Promise.all(keys.map((key) => ask(text.method, text.params, never, key)));
    return { answers };
  };
}

test('a call that asks a question is paused and continues with the answer', async () => {
  const calls = createInputRounds();
  const paused = await calls.start(roundOf('a'), asking('user'));
  expect(paused).toMatchObject({ resultType: 'input_required', inputRequests: { user: text } });
  expect(calls.isOwn(paused.requestState)).toBe(true);
  const result = await calls.resume(roundOf('a', { user: yes, unasked: yes }), String(paused.requestState));
  expect(result).toEqual({ answers: [yes] });
});

test('questions that arrive together are asked in one round', async () => {
  const calls = createInputRounds();
  const paused = await calls.start(roundOf('a'), async ({ ask }) => {
    const first = ask(text.method, text.params, never, 'one');
    await new Promise((resolve) => setImmediate(resolve));
    return { answers: await Promise.all([first, ask(text.method, text.params, never, 'two')]) };
  });
  expect(Object.keys(paused.inputRequests as object)).toEqual(['one', 'two']);
});

test('a question answered in advance is not asked, and each answer is used once', async () => {
  const calls = createInputRounds();
  const result = await calls.start(roundOf('a', { user: yes }), asking('user'));
  expect(result).toEqual({ answers: [yes] });
  const paused = await calls.start(roundOf('a', { user: yes }), asking('user', 'user'));
  expect(paused.inputRequests).toEqual({ user: text });
});

test('an answer that is not an object is ignored', async () => {
  const calls = createInputRounds();
  const paused = await calls.start(roundOf('a', { user: 12 }), asking('user'));
  const again = await calls.resume(roundOf('a', { user: 'Ada' }), String(paused.requestState));
  expect(again.inputRequests).toEqual({ user: text });
});

test('a question without a name cannot be answered in advance', async () => {
  const calls = createInputRounds();
  const paused = await calls.start(roundOf('a', { undefined: yes, '': yes }), async ({ ask }) =>
    ask(text.method, text.params, never),
  );
  expect(Object.keys(paused.inputRequests as object)).toEqual([expect.stringMatching(/^question_/)]);
});

test('each round has its own state, valid for that round only', async () => {
  const calls = createInputRounds();
  const first = await calls.start(roundOf('a'), async ({ ask }) => {
    await ask(text.method, text.params, never, 'one');
    return ask(text.method, text.params, never, 'two');
  });
  const second = await calls.resume(roundOf('a', { one: yes }), String(first.requestState));
  expect(second.requestState).not.toBe(first.requestState);
  await expect(calls.resume(roundOf('a', { two: yes }), String(first.requestState))).rejects.toThrow(/has ended/);
  expect(await calls.resume(roundOf('a', { two: yes }), String(second.requestState))).toEqual(yes);
});

test('only the owner can continue a paused call, and only with its state', async () => {
  const calls = createInputRounds();
  const { requestState } = await calls.start(roundOf('a'), asking('user'));
  const state = String(requestState);
  await expect(calls.resume(roundOf('b', { user: yes }), state)).rejects.toMatchObject({ code: -32602 });
  await expect(calls.resume(roundOf('a', { user: yes }), `${state}-TAMPERED`)).rejects.toMatchObject({
    code: -32602,
  });
  expect(await calls.resume(roundOf('a', { user: yes }), state)).toEqual({ answers: [yes] });
});

test('a client that disconnects while it waits cancels the call', async () => {
  const calls = createInputRounds();
  const disconnected = new AbortController();
  const begun = Promise.withResolvers<void>();
  const call = calls.start({ ...roundOf('a'), signal: disconnected.signal }, ({ signal }) => {
    begun.resolve();
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  await begun.promise;
  disconnected.abort(new Error('left'));
  await expect(call).rejects.toThrow('left');
});

test('a call ends if its question is not answered in time', async () => {
  const calls = createInputRounds({ questionTimeoutMs: () => 5 });
  const ended = Promise.withResolvers<unknown>();
  const { requestState } = await calls.start(roundOf('a'), ({ ask, signal }) =>
    ask(text.method, text.params, toAbortSignal(signal)).catch((cause) => {
      ended.resolve(cause);
      throw cause;
    }),
  );
  expect(await ended.promise).toMatchObject({ message: 'No answer in time' });
  await new Promise((resolve) => setImmediate(resolve));
  await expect(calls.resume(roundOf('a'), String(requestState))).rejects.toThrow(/has ended/);
});

test('a call continues if its question is answered elsewhere, and its client fetches the result', async () => {
  const calls = createInputRounds({ questionTimeoutMs: () => 20 });
  const elsewhere = new AbortController();
  const work = Promise.withResolvers<void>();
  const signals: AbortSource[] = [];
  const paused = await calls.start(roundOf('a'), async ({ ask, signal }) => {
    signals.push(signal);
    await ask(text.method, text.params, elsewhere.signal, 'allow').catch(() => {});
    await work.promise;
    return { done: true };
  });
  elsewhere.abort(new Error('answered elsewhere'));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(signals[0]?.aborted).toBe(false);
  const result = calls.resume(roundOf('a', { allow: yes }), String(paused.requestState));
  work.resolve();
  expect(await result).toEqual({ done: true });
});

test('a result that is not fetched expires', async () => {
  const calls = createInputRounds({ questionTimeoutMs: () => 20 });
  const elsewhere = new AbortController();
  const paused = await calls.start(roundOf('a'), async ({ ask }) => {
    await ask(text.method, text.params, elsewhere.signal, 'allow').catch(() => {});
    return { done: true };
  });
  elsewhere.abort();
  await new Promise((resolve) => setTimeout(resolve, 100));
  await expect(calls.resume(roundOf('a'), String(paused.requestState))).rejects.toThrow(/has ended/);
});

test('a question that the server withdraws is not asked', async () => {
  const calls = createInputRounds();
  const result = await calls.start(roundOf('a'), async ({ ask }) => {
    const withdrawn = new AbortController();
    const question = ask(text.method, text.params, withdrawn.signal, 'user');
    withdrawn.abort(new Error('never mind'));
    await expect(question).rejects.toThrow('never mind');
    await new Promise((resolve) => setTimeout(resolve, 60));
    return { done: true };
  });
  expect(result).toEqual({ done: true });
});

test('notifications reach the waiting client, and none are sent while the call is paused', async () => {
  const calls = createInputRounds();
  const received: string[] = [];
  const roundWithNotify = (name: string, answers = {}) => ({
    ...roundOf('a', answers),
    notify: (method: string) => received.push(`${name} ${method}`),
  });
  const parked = Promise.withResolvers<void>();
  const notified = Promise.withResolvers<void>();
  const paused = await calls.start(roundWithNotify('first'), async ({ ask, notify }) => {
    notify('one', {});
    const answer = ask(text.method, text.params, never, 'user');
    void parked.promise.then(() => {
      notify('lost', {});
      notified.resolve();
    });
    await answer;
    notify('two', {});
    return {};
  });
  parked.resolve();
  await notified.promise;
  await calls.resume(roundWithNotify('second', { user: yes }), String(paused.requestState));
  expect(received).toEqual(['first one', 'second two']);
});

test('a caller with too many requests that wait for input gets LIMIT_REACHED, and all callers together OVERLOADED', async () => {
  const calls = createInputRounds({ maxPaused: 3, maxPausedPerCaller: 2 });
  const first = await calls.start(roundOf('ada\0one'), asking('user'));
  await calls.start(roundOf('ada\0two'), asking('user'));
  let signal: AbortSource | undefined;
  const third = calls.start(roundOf('ada\0three'), (client) => {
    signal = client.signal;
    return asking('user')(client);
  });
  await expect(third).rejects.toMatchObject({ code: 'LIMIT_REACHED', data: { max: 2, retryAfterMs: 1_000 } });
  expect(signal?.aborted).toBe(true);
  await calls.start(roundOf('bob\0one'), asking('user'));
  await expect(calls.start(roundOf('eve\0one'), asking('user'))).rejects.toMatchObject({ code: 'OVERLOADED' });
  await calls.resume(roundOf('ada\0one', { user: yes }), String(first.requestState));
  expect(await calls.start(roundOf('ada\0three'), asking('user'))).toMatchObject({ resultType: 'input_required' });
});
