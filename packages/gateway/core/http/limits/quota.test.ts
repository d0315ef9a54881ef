import { expect, test } from 'vitest';
import { ToolwharfError } from '../../../../contract/errors.ts';
import { createQuota } from './quota.ts';

const ada = { id: 'ada', isLimited: true };
const bob = { id: 'bob', isLimited: true };
const local = { id: 'local', isLimited: false };

function open(total = 5, perCaller = 2) {
  return createQuota({ name: 'streams', unit: 'streams', key: 'maxStreams', limits: () => ({ total, perCaller }) });
}

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (cause) {
    return (cause as ToolwharfError).code;
  }
}

test('a caller at its limit is rejected while others are served, and is served again after a return', () => {
  const quota = open();
  const first = quota.reserve(ada);
  quota.reserve(ada);
  expect(codeOf(() => quota.reserve(ada))).toBe('LIMIT_REACHED');
  expect(codeOf(() => quota.reserve(bob))).toBeUndefined();
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  expect(codeOf(() => quota.reserve(ada))).toBeUndefined();
  expect(quota).toMatchObject({ used: 3, limit: 5, refusals: { caller: 1, total: 0 } });
});

test('the total limit applies to every caller, and the error includes a retry time', () => {
  const quota = open(3, 2);
  quota.reserve(ada, 2);
  quota.reserve(local);
  expect(codeOf(() => quota.reserve(local))).toBe('OVERLOADED');
  try {
    quota.reserve(bob);
  } catch (cause) {
    expect(cause).toBeInstanceOf(ToolwharfError);
    expect(cause).toMatchObject({ status: 503, data: { limit: 'streams', max: 3, retryAfterMs: 1_000 } });
  }
  expect(quota.refusals.total).toBe(2);
});

test('only the total limit applies to the local caller', () => {
  const quota = open(5, 1);
  expect(codeOf(() => quota.reserve(local, 5))).toBeUndefined();
});

test('a reservation that grows past the limit is rejected and retains its previous size', () => {
  const quota = open(10, 4);
  const bytes = quota.reserve(ada, 3);
  expect(codeOf(() => bytes.add(2))).toBe('LIMIT_REACHED');
  expect(quota.used).toBe(3);
  bytes.add(1);
  bytes[Symbol.dispose]();
  expect(quota.used).toBe(0);
});

test('a retained reservation is released when the promise has settled', async () => {
  const quota = open();
  const { promise, reject } = Promise.withResolvers<void>();
  {
    using bytes = quota.reserve(ada);
    bytes.retainUntil(promise);
  }
  expect(quota.used).toBe(1);
  reject(new Error('failed'));
  await promise.catch(() => {});
  await Promise.resolve();
  expect(quota.used).toBe(0);
});

test('at the limit, another resource can be released instead', () => {
  const quota = open(5, 1);
  const old = quota.reserve(ada);
  const freed: (string | undefined)[] = [];
  quota.reserve(ada, 1, (caller) => {
    freed.push(caller);
    old[Symbol.dispose]();
    return true;
  });
  expect(freed).toEqual(['ada']);
  expect(quota.used).toBe(1);
});
