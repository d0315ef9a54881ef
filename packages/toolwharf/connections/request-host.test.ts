import { expect, test } from 'vitest';
import { answerQuestion, capabilitiesOf } from './request-host.ts';

const context = { server: 's', signal: new AbortController().signal };

test('a client announces only the questions it can answer', () => {
  expect(capabilitiesOf({})).toEqual({});
  expect(capabilitiesOf({ listRoots: async () => [] })).toEqual({ roots: {} });
  const asked = capabilitiesOf({ elicit: async () => ({ action: 'decline' }), sample: async () => ({}) });
  expect(Object.keys(asked)).toEqual(['elicitation', 'sampling']);
});

test('an accepted form contains the default of each field that the person left empty', async () => {
  const requestedSchema = {
    type: 'object',
    properties: {
      name: { type: 'string', default: 'Ada' },
      age: { type: 'integer', default: 36 },
      city: { type: 'string' },
    },
  };
  const elicit = async () => ({ action: 'accept' as const, content: { age: 0 } });
  expect(await answerQuestion({ elicit }, {}, 'elicitation/create', { requestedSchema }, context)).toEqual({
    action: 'accept',
    content: { name: 'Ada', age: 0 },
  });
  const decline = async () => ({ action: 'decline' as const });
  expect(await answerQuestion({ elicit: decline }, {}, 'elicitation/create', { requestedSchema }, context)).toEqual({
    action: 'decline',
  });
});

test('the host of a request takes precedence over the default host of the connection', async () => {
  const host = { listRoots: async () => [{ uri: 'file:///host' }] };
  const defaults = { listRoots: async () => [{ uri: 'file:///default' }], sample: async () => ({ model: 'default' }) };
  expect(await answerQuestion(host, defaults, 'roots/list', {}, context)).toEqual({ roots: [{ uri: 'file:///host' }] });
  expect(await answerQuestion(host, defaults, 'sampling/createMessage', {}, context)).toEqual({ model: 'default' });
  expect(await answerQuestion(undefined, defaults, 'roots/list', {}, context)).toEqual({
    roots: [{ uri: 'file:///default' }],
  });
});

test('a server request without a host that can answer it is rejected as an unknown method', async () => {
  for (const method of ['elicitation/create', 'sampling/createMessage', 'roots/list', 'made/up']) {
    await expect(answerQuestion({}, {}, method, {}, context)).rejects.toMatchObject({
      code: -32601,
      message: expect.stringContaining(method),
    });
  }
});
