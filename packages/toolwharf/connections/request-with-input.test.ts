import { expect, test } from 'vitest';
import { requestWithInput } from './request-with-input.ts';

const question = { method: 'elicitation/create', params: { message: 'who?' } };

test('a request is sent again with the answers and the unchanged state until the server returns a final result', async () => {
  const sent: object[] = [];
  const first = {
    resultType: 'input_required',
    inputRequests: { a: question, b: question },
    requestState: 'opaque-1',
  };
  const replies = [
    { resultType: 'input_required', requestState: 'opaque-2' },
    { resultType: 'complete', content: [] },
  ];
  const result = await requestWithInput({ name: 'tool' }, first, {
    send: async (params) => {
      sent.push(params);
      return replies[sent.length - 1] ?? {};
    },
    answer: async () => ({ action: 'accept' }),
  });
  expect(result.resultType).toBe('complete');
  expect(sent).toEqual([
    { name: 'tool', inputResponses: { a: { action: 'accept' }, b: { action: 'accept' } }, requestState: 'opaque-1' },
    { name: 'tool', requestState: 'opaque-2' },
  ]);
});

test('endless, malformed and unanswered input requests are errors', async () => {
  const first = { resultType: 'input_required', inputRequests: { a: question } };
  const endless = { send: async () => first, answer: async () => ({}) };
  await expect(requestWithInput({}, first, { ...endless, maxRounds: 3 })).rejects.toMatchObject({
    code: 'SERVER_PROTOCOL',
  });
  const nonsense = { resultType: 'input_required', inputRequests: { a: 'who?' } };
  await expect(requestWithInput({}, nonsense, endless)).rejects.toMatchObject({ code: 'SERVER_PROTOCOL' });
  const unanswered = { ...endless, answer: () => Promise.reject(new Error('unanswered')) };
  await expect(requestWithInput({}, first, unanswered)).rejects.toMatchObject({ code: 'INPUT_REFUSED' });
});
