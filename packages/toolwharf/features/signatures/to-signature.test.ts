import { stripTypeScriptTypes } from 'node:module';
import { expect, test } from 'vitest';
import { toSignature } from './to-signature.ts';

test('a signature has the arguments, their descriptions and defaults, and the result', () => {
  const signature = toSignature({
    name: 'github__create_issue',
    description: 'Create an issue.\nNeeds write access.',
    inputSchema: {
      type: 'object',
      properties: {
        title: { type: 'string', description: 'One line' },
        labels: { type: 'array', items: { type: 'string' }, default: [] },
        author: { type: 'object', properties: { name: { type: 'string', description: 'Login' } } },
      },
      required: ['title'],
    },
    outputSchema: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
  });
  expect(signature).toBe(`/** Create an issue. Needs write access. */
github__create_issue(args: {
  /** One line */
  title: string;
  /** Default: [] */
  labels?: string[];
  author?: {
    /** Login */
    name?: string;
  };
}): Promise<{
  number: number;
}>;`);
});

test.each([
  [{ type: 'object', properties: {} }, 'list(): Promise<unknown>;'],
  [undefined, 'list(): Promise<unknown>;'],
  [
    { type: 'object', properties: { page: { type: 'integer' } } },
    'list(args?: {\n  page?: number;\n}): Promise<unknown>;',
  ],
  [{ type: 'object', additionalProperties: true }, 'list(args?: Record<string, unknown>): Promise<unknown>;'],
])('the signature of a tool with the input schema %j is %s', (inputSchema, signature) => {
  expect(toSignature({ name: 'list', inputSchema })).toBe(signature);
});

test('texts and names of a server cannot leave their place in the signature', () => {
  const evil = '*/ evil(); /* ';
  const signature = toSignature({
    name: `x(): void; ${evil}`,
    description: evil,
    inputSchema: { type: 'object', properties: { [evil]: { const: evil, description: evil, default: evil } } },
  });
  const stripped = stripTypeScriptTypes(`interface Tools {\n${signature}\n}\nconst rest = 1;`);
  expect(stripped.trim()).toBe('const rest = 1;');
});
