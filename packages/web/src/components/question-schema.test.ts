import { expect, test } from 'vitest';
import { toQuestionSchema } from './question-schema.ts';
import { toFormSchema } from './schema-form/to-form-schema.ts';

test('a field that looks like a secret carries a warning [R18]', () => {
  const { properties } = toQuestionSchema({
    properties: {
      key: { type: 'string', title: 'Your API key', description: 'From the console.' },
      name: { type: 'string', title: 'Your name' },
      tokens: { type: 'integer' },
    },
  });
  expect(properties).toEqual({
    key: expect.objectContaining({
      description: expect.stringMatching(/^From the console\. This looks like a secret/),
    }),
    name: { type: 'string', title: 'Your name' },
    tokens: { type: 'integer' },
  });
});

test('a requested schema that is none becomes a form without fields', () => {
  for (const requested of [undefined, null, 'x', [], {}, { properties: [] }, { properties: 7 }])
    expect(toFormSchema(toQuestionSchema(requested))).toMatchObject({ ok: true, schema: { properties: {} } });
});

test('a field with the name of a built-in object member stays a field', () => {
  const { properties } = toQuestionSchema(JSON.parse('{"properties": {"__proto__": {"type": "string"}}}'));
  expect(Object.keys(properties)).toEqual(['__proto__']);
});
