import { expect, test } from 'vitest';
import { answerQuestion, capabilitiesFor } from './questions.ts';

const context = { server: 's', signal: new AbortController().signal };

test('only what can be answered is announced', () => {
  expect(capabilitiesFor({})).toEqual({});
  expect(capabilitiesFor({ roots: async () => [] })).toEqual({ roots: {} });
  expect(
    Object.keys(capabilitiesFor({ elicit: async () => ({ action: 'decline' }), sample: async () => ({}) })),
  ).toEqual(['elicitation', 'sampling']);
});

test('an accepted form holds its defaults where the person left a field out', async () => {
  const requestedSchema = {
    type: 'object',
    properties: {
      name: { type: 'string', default: 'Ada' },
      age: { type: 'integer', default: 36 },
      city: { type: 'string' },
    },
  };
  const elicit = async () => ({ action: 'accept' as const, content: { age: 0 } });
  expect(await answerQuestion({ elicit }, 'elicitation/create', { requestedSchema }, context)).toEqual({
    action: 'accept',
    content: { name: 'Ada', age: 0 },
  });
  const decline = async () => ({ action: 'decline' as const });
  expect(await answerQuestion({ elicit: decline }, 'elicitation/create', { requestedSchema }, context)).toEqual({
    action: 'decline',
  });
});

test('a question without an answerer is refused as an unknown method', async () => {
  for (const method of ['elicitation/create', 'sampling/createMessage', 'roots/list', 'made/up']) {
    await expect(answerQuestion({}, method, {}, context)).rejects.toMatchObject({
      code: -32601,
      message: expect.stringContaining(method),
    });
  }
});
