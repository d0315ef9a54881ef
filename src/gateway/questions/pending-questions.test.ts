import { expect, test } from 'vitest';
import type { QuestionContext } from '../../connections/questions.ts';
import { createEvents } from '../../kernel/events.ts';
import type { CallInFlight, CallsInFlightEvents } from '../calls/calls-in-flight.ts';
import { createPendingQuestions, questionsFor } from './pending-questions.ts';

const ada = { id: 'ada', kind: 'client' } as const;
const bob = { id: 'bob', kind: 'client' } as const;

function setUp({ expiresMs = 60_000, ...limits }: { expiresMs?: number; maxOpen?: number; maxBytes?: number } = {}) {
  const inFlight = new Map<string, CallInFlight>();
  const events = createEvents<CallsInFlightEvents>();
  const begin = (id: string, caller: CallInFlight['caller'] = ada) => void inFlight.set(id, { id, tool: 't', caller });
  const end = (id: string) => {
    const call = inFlight.get(id);
    inFlight.delete(id);
    if (call) events.emit('ended', call);
  };
  const calls = { find: (id: string) => inFlight.get(id), on: events.on };
  const pending = createPendingQuestions({ calls, expiresMs: () => expiresMs, ...limits });
  const told: string[] = [];
  pending.on('asked', () => told.push('asked'));
  pending.on('answered', ({ action }) => told.push(action));
  const first = () => pending.list()[0]?.id ?? '';
  return { pending, begin, end, told, first };
}

const context = (more: Partial<QuestionContext>): QuestionContext => ({
  server: 's',
  signal: new AbortController().signal,
  ...more,
});

const form = {
  type: 'object',
  properties: { name: { type: 'string' }, size: { type: 'integer', default: 3 } },
  required: ['name', 'size'],
};

test('an address to go to is accepted without any content', async () => {
  const { pending, begin, first } = setUp();
  begin('c1');
  const params = { mode: 'url', message: 'Sign in', url: 'https://example.com', elicitationId: 'e1' };
  const asked = pending.take('elicitation', params, context({ callId: 'c1' }));
  expect(pending.list()).toMatchObject([{ kind: 'elicitation', callId: 'c1', tool: 't', params }]);
  expect(pending.answer(first(), { action: 'accept', content: { stray: true } })).toBe(true);
  expect(await asked).toEqual({ action: 'accept' });
});

test('what has a default need not be filled in, what does not fit is told, and the question goes on waiting', async () => {
  const { pending, begin, first, told } = setUp();
  begin('c1');
  const asked = pending.take('elicitation', { requestedSchema: form }, context({ callId: 'c1' }));
  expect(() => pending.answer(first(), { action: 'accept', content: { size: 'big' } })).toThrow(/body\.content\.size/);
  expect(() => pending.answer(first(), { action: 'accept' })).toThrow(/body\.content\.name/);
  pending.answer(first(), { action: 'accept', content: { name: 'x' } });
  expect(await asked).toEqual({ action: 'accept', content: { name: 'x' } });
  expect(told).toEqual(['asked', 'accept']);
});

test('one that may belong to several calls of one caller names none, and ends with the last of them', async () => {
  const { pending, begin, end, told } = setUp();
  begin('c1');
  begin('c2');
  const asked = pending.take('elicitation', {}, context({ callIds: ['c1', 'c2'] }));
  expect(pending.list()[0]).not.toHaveProperty('callId');
  end('c1');
  expect(pending.list()).toHaveLength(1);
  end('c2');
  await expect(asked).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
  expect(told).toEqual(['asked', 'withdrawn']);
});

test('one of a call that is not ours, or of several callers, is left to others', async () => {
  const { pending, begin } = setUp();
  begin('c1');
  begin('c2', bob);
  begin('c3', { ...ada, conversation: 'talk' });
  for (const callIds of [['c1', 'c2'], ['c1', 'c3'], ['c1', 'unknown'], []])
    expect(pending.take('elicitation', {}, context({ callIds }))).toBeUndefined();
  expect(pending.take('elicitation', {}, context({}))).toBeUndefined();
  const others = {
    elicit: async () => ({ action: 'decline' }) as const,
    sample: async () => ({ model: 'other' }),
    roots: async () => [{ uri: 'file:///' }],
  };
  const questions = questionsFor(pending, others);
  expect(await questions.elicit?.({}, context({ callId: 'unknown' }))).toEqual({ action: 'decline' });
  expect(await questions.sample?.({}, context({ callId: 'unknown' }))).toEqual({ model: 'other' });
  expect(await questions.roots?.(context({ callId: 'c1' }))).toEqual([{ uri: 'file:///' }]);
});

test('nobody answers: it counts as cancelled', async () => {
  const { pending, begin, told } = setUp({ expiresMs: 20 });
  begin('c1');
  expect(await pending.take('elicitation', {}, context({ callId: 'c1' }))).toEqual({ action: 'cancel' });
  expect(told).toEqual(['asked', 'withdrawn']);
  expect(pending.list()).toEqual([]);
});

test('a server can neither ask without end nor ask endlessly much', async () => {
  const { pending, begin } = setUp({ maxOpen: 1, maxBytes: 1_000 });
  begin('c1');
  const big = { message: 'x'.repeat(2_000) };
  await expect(pending.take('elicitation', big, context({ callId: 'c1' }))).rejects.toThrow('too big');
  const open = pending.take('elicitation', {}, context({ callId: 'c1' }));
  await expect(pending.take('elicitation', {}, context({ callId: 'c1' }))).rejects.toThrow('too many');
  pending.answer(pending.list()[0]?.id ?? '', { action: 'decline' });
  expect(await open).toEqual({ action: 'decline' });
  expect(pending.answer('none', { action: 'decline' })).toBe(false);
});
