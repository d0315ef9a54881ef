import { expect, test } from 'vitest';
import type { Call, CallQuestionContext } from '../../invocation/call.ts';
import { createPendingQuestions } from './pending-questions.ts';

function setUp({ expiresMs = 60_000, ...limits }: { expiresMs?: number; maxPending?: number; maxBytes?: number } = {}) {
  const pending = createPendingQuestions({ expiresMs: () => expiresMs, ...limits });
  const told: string[] = [];
  pending.on('asked', () => told.push('asked'));
  pending.on('answered', ({ action }) => told.push(action));
  const first = () => pending.list()[0]?.id ?? '';
  const ended = new AbortController();
  const call = { id: 'c1', tool: 't', caller: { id: 'ada', kind: 'client' } } as Call;
  const context: CallQuestionContext = { server: 's', signal: ended.signal, call };
  return { pending, context, ended, told, first };
}

const form = {
  type: 'object',
  properties: { name: { type: 'string' }, size: { type: 'integer', default: 3 } },
  required: ['name', 'size'],
};

test('a URL question is accepted without content', async () => {
  const { pending, context, first } = setUp();
  const params = { mode: 'url', message: 'Sign in', url: 'https://example.com', elicitationId: 'e1' };
  const asked = pending.ask('elicitation', params, context);
  expect(pending.list()).toMatchObject([{ kind: 'elicitation', callId: 'c1', tool: 't', params }]);
  expect(pending.answer(first(), { action: 'accept', content: { stray: true } })).toBe(true);
  expect(await asked).toEqual({ action: 'accept' });
});

test('a field with a default may be left out; an invalid answer is rejected and the question stays pending', async () => {
  const { pending, context, first, told } = setUp();
  const asked = pending.ask('elicitation', { requestedSchema: form }, context);
  expect(() => pending.answer(first(), { action: 'accept', content: { size: 'big' } })).toThrow(/body\.content\.size/);
  expect(() => pending.answer(first(), { action: 'accept' })).toThrow(/body\.content\.name/);
  pending.answer(first(), { action: 'accept', content: { name: 'x' } });
  expect(await asked).toEqual({ action: 'accept', content: { name: 'x' } });
  expect(told).toEqual(['asked', 'accept']);
});

test('a question is withdrawn when its call ends', async () => {
  const { pending, context, ended, told } = setUp();
  const asked = pending.ask('elicitation', {}, context);
  ended.abort();
  await expect(asked).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
  expect(told).toEqual(['asked', 'withdrawn']);
});

test('a question that nobody answers counts as cancelled', async () => {
  const { pending, context, told } = setUp({ expiresMs: 20 });
  expect(await pending.ask('elicitation', {}, context)).toEqual({ action: 'cancel' });
  expect(told).toEqual(['asked', 'withdrawn']);
  expect(pending.list()).toEqual([]);
});

test('the number and size of pending questions are limited', async () => {
  const { pending, context } = setUp({ maxPending: 1, maxBytes: 1_000 });
  const big = { message: 'x'.repeat(2_000) };
  await expect(pending.ask('elicitation', big, context)).rejects.toThrow('too large');
  const open = pending.ask('elicitation', {}, context);
  await expect(pending.ask('elicitation', {}, context)).rejects.toThrow('too many');
  pending.answer(pending.list()[0]?.id ?? '', { action: 'decline' });
  expect(await open).toEqual({ action: 'decline' });
  expect(pending.answer('none', { action: 'decline' })).toBe(false);
});
