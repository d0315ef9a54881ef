import { expect, test } from 'vitest';
import { missingCapability } from './missing-capability.ts';

test.each([
  ['a form request', 'elicitation/create', {}, { elicitation: {} }],
  ['a form request', 'elicitation/create', { mode: 'form' }, { elicitation: { form: {}, url: {} } }],
  ['a URL request', 'elicitation/create', { mode: 'url' }, { elicitation: { url: {} } }],
  ['a model request', 'sampling/createMessage', {}, { sampling: {} }],
  ['a model request with tools', 'sampling/createMessage', { tools: [] }, { sampling: { tools: {} } }],
  ['a roots request', 'roots/list', {}, { roots: {} }],
])('%s (%s %o) can be sent to a client with %o', (_case, method, params, capabilities) => {
  expect(missingCapability(capabilities, method, params)).toBeUndefined();
});

test.each([
  ['elicitation/create', {}, {}, { elicitation: { form: {} } }],
  ['elicitation/create', { mode: 'url' }, { elicitation: {} }, { elicitation: { url: {} } }],
  ['elicitation/create', {}, { elicitation: { url: {} } }, { elicitation: { form: {} } }],
  ['sampling/createMessage', {}, { elicitation: {} }, { sampling: {} }],
  ['sampling/createMessage', { tools: [] }, { sampling: {} }, { sampling: { tools: {} } }],
  ['roots/list', {}, {}, { roots: {} }],
  ['tasks/get', {}, { tasks: {} }, { 'tasks/get': {} }],
])('%s %o is not sent to a client with %o, which lacks %o', (method, params, capabilities, missing) => {
  expect(missingCapability(capabilities, method, params)).toEqual(missing);
});
