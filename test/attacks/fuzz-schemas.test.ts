import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../packages/contract/json.ts';
import { toAiSdkTools } from '../../packages/toolwharf/bridges/ai-sdk.ts';
import { toAnthropicTools } from '../../packages/toolwharf/bridges/anthropic.ts';
import { toFlatTools } from '../../packages/toolwharf/bridges/flat.ts';
import { toGeminiTools } from '../../packages/toolwharf/bridges/gemini.ts';
import { toOpenAIResponsesTools, toOpenAITools } from '../../packages/toolwharf/bridges/openai.ts';
import { definitionHash } from '../../packages/toolwharf/catalog/definition-hash.ts';
import type { Tool, ToolSource } from '../../packages/toolwharf/kernel/tool.ts';
import { scanDefinition } from '../../packages/toolwharf/policy/scan-definition.ts';
import { compileArguments } from '../../packages/toolwharf/policy/validate-arguments.ts';
import { json, parameters } from './arbitraries.ts';

describe('schemas', () => {
  const word = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
  const schema = fc.letrec<{ schema: unknown }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.constantFrom(true, false, {}),
      json,
      fc.record(
        {
          type: fc.oneof(fc.constantFrom('object', 'string', 'number', 'array', 'null', ['string', 'null']), json),
          properties: fc.dictionary(word, tie('schema'), { maxKeys: 4 }),
          required: fc.oneof(fc.array(word, { maxLength: 3 }), json),
          items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 3 })),
          anyOf: fc.array(tie('schema'), { maxLength: 3 }),
          oneOf: fc.array(tie('schema'), { maxLength: 3 }),
          allOf: fc.array(tie('schema'), { maxLength: 3 }),
          not: tie('schema'),
          if: tie('schema'),
          then: tie('schema'),
          additionalProperties: tie('schema'),
          patternProperties: fc.dictionary(fc.constantFrom('^a', '(a+)+$', '['), tie('schema'), { maxKeys: 2 }),
          $ref: fc.oneof(
            fc.constantFrom('#', '#/$defs/a', '#/$defs/none', 'https://example.com/x', '#/properties/a', '%zz'),
            json,
          ),
          $defs: fc.dictionary(word, tie('schema'), { maxKeys: 3 }),
          $dynamicRef: fc.constantFrom('#a', '#'),
          $schema: json,
          title: json,
          pattern: fc.oneof(fc.constantFrom('(a+)+$', '^(?=a)b', '[', '\\p{L}'), fc.string({ maxLength: 10 })),
          enum: fc.oneof(fc.array(json, { maxLength: 3 }), json),
          const: json,
          default: json,
          format: fc.oneof(fc.constantFrom('email', 'date-time', 'uri'), json),
          minimum: json,
          maxLength: json,
          uniqueItems: json,
          multipleOf: json,
          description: fc.oneof(fc.string({ unit: 'binary' }), json),
        },
        { requiredKeys: [] },
      ),
    ),
  })).schema;

  const toolOf = (parameters_: JsonSchema): Tool => ({
    name: 'tool',
    originalName: 'tool',
    description: 'x',
    parameters: parameters_,
    execute: async () => ({}) as never,
  });

  test('any schema is accepted or rejected with a reason, and validation against it returns a verdict', () => {
    fc.assert(
      fc.property(schema, fc.array(json, { minLength: 1, maxLength: 4 }), (given, values) => {
        const check = compileArguments(given as JsonSchema);
        if (check.kind === 'unusable') {
          expect(check.reason).not.toBe('');
          return;
        }
        for (const value of [{}, { a: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa!' }, ...values]) {
          const verdict = check.check(value);
          if (!verdict.ok) expect(verdict.text).not.toBe('');
        }
      }),
      parameters,
    );
  });

  test('the bridges translate any schema for every provider or omit the tool', () => {
    fc.assert(
      fc.property(schema, (given) => {
        const tools = [
          toolOf((typeof given === 'object' && given !== null && !Array.isArray(given) ? given : {}) as JsonSchema),
        ];
        const source = { tools, call: async () => ({}) as never };
        const expressions: readonly ((source: ToolSource) => unknown)[] = [
          toOpenAITools,
          toOpenAIResponsesTools,
          toAnthropicTools,
          toGeminiTools,
          toAiSdkTools,
          toFlatTools,
        ];
        for (const express of expressions) expect(() => JSON.stringify(express(source))).not.toThrow();
      }),
      parameters,
    );
  });

  test('any definition can be hashed and scanned', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.oneof(fc.string({ unit: 'binary' }), json),
        schema,
        (name, description, inputSchema) => {
          const definition = { name, description: description as string, inputSchema: inputSchema as JsonSchema };
          expect(definitionHash(definition)).toMatch(/^[0-9a-f]{64}$/);
          for (const { where, excerpt } of scanDefinition(definition)) {
            expect(where.startsWith('/')).toBe(true);
            expect(excerpt.isWellFormed()).toBe(true);
          }
        },
      ),
      parameters,
    );
  });
});
