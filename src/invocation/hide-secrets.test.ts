import { expect, test } from 'vitest';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { JsonObject } from '../kernel/json.ts';
import { hideSecrets } from './hide-secrets.ts';
import { createLargeResults } from './large-results.ts';
import { resolveReferences } from './references.ts';

const outputSchema = {
  type: 'object',
  properties: {
    user: { type: 'string' },
    token: { type: 'string', writeOnly: true },
    keys: { type: 'array', items: { $ref: '#/$defs/Key' } },
    '*': { type: 'string', format: 'password' },
    more: { type: 'object', additionalProperties: { anyOf: [{ format: 'password' }, { type: 'null' }] } },
  },
  $defs: { Key: { type: 'object', properties: { id: { type: 'string' }, value: { format: 'password' } } } },
};
const value = {
  user: 'ada',
  token: 'secret-1',
  keys: [{ id: 'a', value: 'secret-2' }, { id: 'b' }],
  '*': 'secret-3',
  more: { 'a/b': 'secret-4', none: null },
};

function hide(raw: JsonObject, schema: JsonObject | undefined = outputSchema, isSecret = false) {
  const store = createLargeResults();
  const entry = { definition: { outputSchema: schema } } as unknown as CatalogEntry;
  const shown = hideSecrets(raw, entry, { callId: 'c1', caller: 'ada', store, isSecret: () => isSecret });
  return { shown, find: async (id: string, caller: string) => store.find(id, caller) };
}

test('values that the output schema marks as secret become references, in the structure and in the text', async () => {
  const { shown, find } = hide({ content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value });
  expect(shown.structuredContent).toEqual({
    user: 'ada',
    token: 'toolwharf-secret:c1#/token',
    keys: [{ id: 'a', value: 'toolwharf-secret:c1#/keys/0/value' }, { id: 'b' }],
    '*': 'toolwharf-secret:c1#/*',
    more: { 'a/b': 'toolwharf-secret:c1#/more/a~1b', none: null },
  });
  expect(JSON.stringify(shown)).not.toContain('secret-');
  expect(JSON.parse((shown.content as JsonObject[])[0]?.text as string)).toEqual(shown.structuredContent);
  expect(await resolveReferences(shown.structuredContent as JsonObject, 'ada', find)).toEqual(value);
  await expect(resolveReferences(shown.structuredContent as JsonObject, 'bob', find)).rejects.toMatchObject({
    code: 'ARGUMENTS_INVALID',
  });
});

test('a result without the promised structure is secret as a whole', () => {
  const { shown } = hide({ content: [{ type: 'text', text: JSON.stringify(value) }] });
  expect(shown.structuredContent).toEqual({ ref: 'toolwharf-secret:c1', type: 'text', size: expect.any(Number) });
});

test('a result without secrets, and an error, are returned as the same object', () => {
  const plain = { content: [], structuredContent: { user: 'ada' } };
  expect(hide(plain, { type: 'object' }).shown).toBe(plain);
  const failed = { content: [{ type: 'text', text: 'no such user' }], isError: true };
  expect(hide(failed, outputSchema, true).shown).toBe(failed);
});

test('a circular schema is searched to a limited depth', () => {
  const circular = { type: 'object', properties: { next: { $ref: '#' }, token: { format: 'password' } } };
  const { shown } = hide({ structuredContent: { next: { next: { token: 'secret-1' } } } }, circular);
  expect(JSON.stringify(shown)).not.toContain('secret-1');
});
