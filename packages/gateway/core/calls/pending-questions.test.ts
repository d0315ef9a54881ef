import { expect, test } from 'vitest';
import type { Call, CallQuestionContext } from '../../../toolwharf/invocation/call.ts';
import { createPendingQuestions, type PendingQuestionsOptions } from './pending-questions.ts';

type Limits = Omit<PendingQuestionsOptions, 'expiresMs'> & { readonly expiresMs?: number };

function setUp({ expiresMs = 60_000, ...limits }: Limits = {}) {
  const pending = createPendingQuestions({ expiresMs: () => expiresMs, ...limits });
  const events: string[] = [];
  pending.on('asked', () => events.push('asked'));
  pending.on('answered', ({ action }) => events.push(action));
  const first = () => pending.list()[0]?.id ?? '';
  const ended = new AbortController();
  const call = { id: 'c1', tool: 't', caller: { id: 'ada', kind: 'client' } } as Call;
  const context: CallQuestionContext = { server: 's', signal: ended.signal, call };
  return { pending, context, ended, events, first };
}

const form = {
  type: 'object',
  properties: { name: { type: 'string' }, size: { type: 'integer', default: 3 } },
  required: ['name', 'size'],
};

test('a URL question is accepted without content', async () => {
  const { pending, context, first } = setUp();
  const params = { mode: 'url', message: 'Sign in', url: 'https://example.com', elicitationId: 'e1' };
  const answer = pending.ask({ kind: 'elicitation', params }, context);
  expect(pending.list()).toMatchObject([{ kind: 'elicitation', callId: 'c1', tool: 't', params }]);
  expect(pending.answer(first(), { action: 'accept', content: { stray: true } })).toBe(true);
  expect(await answer).toEqual({ action: 'accept' });
});

test('a field with a default may be omitted, and after an invalid answer the question stays pending', async () => {
  const { pending, context, first, events } = setUp();
  const answer = pending.ask({ kind: 'elicitation', params: { requestedSchema: form } }, context);
  expect(() => pending.answer(first(), { action: 'accept', content: { size: 'big' } })).toThrow(/body\.content\.size/);
  expect(() => pending.answer(first(), { action: 'accept' })).toThrow(/body\.content\.name/);
  pending.answer(first(), { action: 'accept', content: { name: 'x' } });
  expect(await answer).toEqual({ action: 'accept', content: { name: 'x' } });
  expect(events).toEqual(['asked', 'accept']);
});

test('a question is withdrawn when its call ends', async () => {
  const { pending, context, ended, events } = setUp();
  const answer = pending.ask({ kind: 'elicitation', params: {} }, context);
  ended.abort();
  await expect(answer).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
  expect(events).toEqual(['asked', 'withdrawn']);
});

test('a question that is not answered in time counts as cancelled', async () => {
  const { pending, context, events } = setUp({ expiresMs: 20 });
  expect(await pending.ask({ kind: 'elicitation', params: {} }, context)).toEqual({ action: 'cancel' });
  expect(events).toEqual(['asked', 'withdrawn']);
  expect(pending.list()).toEqual([]);
});

test('the number and size of pending questions are limited', async () => {
  const { pending, context } = setUp({ maxPending: 1, maxBytes: 1_000 });
  const big = { message: 'x'.repeat(2_000) };
  await expect(pending.ask({ kind: 'elicitation', params: big }, context)).rejects.toThrow('too large');
  const open = pending.ask({ kind: 'elicitation', params: {} }, context);
  await expect(pending.ask({ kind: 'elicitation', params: {} }, context)).rejects.toThrow('too many');
  pending.answer(pending.list()[0]?.id ?? '', { action: 'decline' });
  expect(await open).toEqual({ action: 'decline' });
  expect(pending.answer('none', { action: 'decline' })).toBe(false);
});

test('the questions of one caller and the bytes of all questions are limited', async () => {
  const { pending, context, ended } = setUp({ maxPendingPerCaller: 1, maxTotalBytes: 150 });
  const other = { ...context, call: { ...context.call, caller: { id: 'bob', kind: 'client' } } as Call };
  const first = pending.ask({ kind: 'elicitation', params: { message: 'x'.repeat(50) } }, context);
  await expect(pending.ask({ kind: 'elicitation', params: { message: 'x' } }, context)).rejects.toThrow(
    'too many questions of this caller',
  );
  await expect(pending.ask({ kind: 'elicitation', params: { message: 'x'.repeat(100) } }, other)).rejects.toThrow(
    'too large already',
  );
  const second = pending.ask({ kind: 'elicitation', params: { message: 'x' } }, other);
  expect(pending.list()).toHaveLength(2);
  ended.abort();
  await expect(first).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
  await expect(second).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
});
