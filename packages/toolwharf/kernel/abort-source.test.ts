import { expect, test } from 'vitest';
import { LightAbort, toAbortSignal } from './abort-source.ts';

test('listeners run once, in order, unless they were removed', () => {
  const abort = new LightAbort();
  const calls: string[] = [];
  const removed = () => calls.push('removed');
  abort.addEventListener('abort', () => calls.push('first'));
  abort.addEventListener('abort', removed);
  abort.addEventListener('abort', () => calls.push('second'));
  abort.removeEventListener('abort', removed);
  abort.throwIfAborted();
  const reason = new Error('cancelled');
  abort.abort(reason);
  abort.abort(new Error('again'));
  expect(calls).toEqual(['first', 'second']);
  expect(abort).toMatchObject({ aborted: true, reason });
  expect(() => abort.throwIfAborted()).toThrow(reason);
});

test('a real signal follows, whether it is read before or after the abort', () => {
  const early = new LightAbort();
  const { signal } = early;
  expect(signal.aborted).toBe(false);
  early.abort('early');
  expect(signal).toMatchObject({ aborted: true, reason: 'early' });
  const late = new LightAbort();
  late.abort();
  expect(toAbortSignal(late)).toMatchObject({ aborted: true, reason: { name: 'AbortError' } });
});

test('a signal stays itself, and any other source gets a signal of its own', () => {
  const controller = new AbortController();
  expect(toAbortSignal(controller.signal)).toBe(controller.signal);
  const abort = new LightAbort();
  const other = {
    get aborted() {
      return abort.aborted;
    },
    get reason() {
      return abort.reason;
    },
    throwIfAborted: () => abort.throwIfAborted(),
    addEventListener: (type: 'abort', listener: () => void) => abort.addEventListener(type, listener),
    removeEventListener: () => {},
  };
  const signal = toAbortSignal(other);
  abort.abort('gone');
  expect(signal).toMatchObject({ aborted: true, reason: 'gone' });
  expect(toAbortSignal(other)).toMatchObject({ aborted: true, reason: 'gone' });
});
