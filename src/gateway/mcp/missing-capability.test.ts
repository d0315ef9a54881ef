import { expect, test } from 'vitest';
import { missingCapability } from './missing-capability.ts';

test.each([
  ['a form', 'elicitation/create', {}, { elicitation: {} }],
  ['a form', 'elicitation/create', { mode: 'form' }, { elicitation: { form: {}, url: {} } }],
  ['an address', 'elicitation/create', { mode: 'url' }, { elicitation: { url: {} } }],
  ['a model', 'sampling/createMessage', {}, { sampling: {} }],
  ['a model with tools', 'sampling/createMessage', { tools: [] }, { sampling: { tools: {} } }],
  ['the roots', 'roots/list', {}, { roots: {} }],
])('%s can be asked for (%s %o) of a client with %o', (_what, method, params, capabilities) => {
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
])('%s %o is not asked of a client with %o: it lacks %o', (method, params, capabilities, missing) => {
  expect(missingCapability(capabilities, method, params)).toEqual(missing);
});
