import { expect, test } from 'vitest';
import { createOpenQuestions } from './open-questions.ts';

const stays = new AbortController().signal;
const question = { method: 'elicitation/create', params: { message: 'Sure?' } };
/** A host that never answers. */
const silent = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test('the first answer to a question counts, and the host is no longer asked', async () => {
  const lists: number[] = [];
  const questions = createOpenQuestions((open) => lists.push(open.length));
  let asked: AbortSignal | undefined;
  const answer = questions.ask(question, stays, (signal) => {
    asked = signal;
    return silent(signal);
  });
  const id = questions.list()[0]?.id ?? '';
  expect(questions.answer(id, { action: 'accept' })).toBe(true);
  expect(questions.answer(id, { action: 'decline' })).toBe(false);
  expect(await answer).toEqual({ action: 'accept' });
  expect(asked?.aborted).toBe(true);
  expect(lists).toEqual([1, 0]);
});

test('a refused question rejects, and a withdrawn one is no longer open', async () => {
  const questions = createOpenQuestions(() => {});
  const refused = questions.ask(question, stays, silent);
  questions.answer(questions.list()[0]?.id ?? '', new Error('no'));
  await expect(refused).rejects.toThrow('no');
  const withdrawn = questions.ask(question, stays, silent);
  questions.close(new Error('The call has ended'));
  await expect(withdrawn).rejects.toThrow('The call has ended');
  expect(questions.list()).toEqual([]);
});
