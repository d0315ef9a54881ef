import { afterEach, expect, test, vi } from 'vitest';
import { silentLog } from '../kernel/log.ts';
import type { ReviewedCall } from '../policy/review.ts';
import { activatePlugin } from './active-plugin.ts';
import type { PluginPolicy } from './plugin.ts';
import { createReview } from './review-calls.ts';

afterEach(() => void vi.useRealTimers());

const call: ReviewedCall = {
  id: '1',
  kind: 'tool',
  caller: { id: 'me', kind: 'program' },
  tool: 'echo',
  originalName: 'echo',
  serverTrusted: true,
  arguments: {},
  isScript: false,
  decision: 'allow',
};
const reviewOf = (...policies: readonly PluginPolicy[]) =>
  createReview(
    policies.map((policy, at) => activatePlugin({ name: `p${at}`, policy }, { timeoutMs: 1_000 }, {}, silentLog)),
  );
const review = async (...policies: readonly PluginPolicy[]) => (await reviewOf(...policies)?.(call))?.objection;
const allow: PluginPolicy = () => undefined;
const ask: PluginPolicy = () => ({ kind: 'ask', reason: 'why not' });
const deny: PluginPolicy = () => ({ kind: 'deny', reason: 'no' });
const fail: PluginPolicy = () => {
  throw new Error('broken');
};

test('a review without policies does not exist', () => {
  expect(reviewOf()).toBeUndefined();
});

test('a review takes the strictest verdict: a denial, a failure, a question', async () => {
  expect(await review(allow, allow)).toBeUndefined();
  expect(await review(allow, ask, allow)).toEqual({ kind: 'ask', reason: 'why not', by: 'p1' });
  expect(await review(ask, fail, deny)).toEqual({ kind: 'deny', reason: 'no', by: 'p2' });
  await expect(review(ask, fail)).rejects.toMatchObject({ code: 'POLICY_FAILED', data: { plugin: 'p1' } });
});

test('a review fails when a policy does not answer in time, and aborts its signal', async () => {
  vi.useFakeTimers();
  let signal: AbortSignal | undefined;
  const reviewing = review((_call, context) => {
    signal = context.signal;
    return new Promise(() => {});
  });
  const failed = expect(reviewing).rejects.toMatchObject({
    code: 'POLICY_FAILED',
    message: expect.stringContaining('no answer within 1000 ms'),
  });
  await vi.advanceTimersByTimeAsync(1_000);
  await failed;
  expect(signal?.aborted).toBe(true);
});
