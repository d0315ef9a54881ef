import type { JsonSchema } from '../../kernel/json.ts';

/** Adds constraints that the schema cannot express as keywords to its description, so that the model knows them. */
export function addToDescription(schema: JsonSchema, rules: readonly (readonly [keyword: string, value: unknown])[]) {
  const text = rules.map(([keyword, value]) => `${keyword}: ${toText(value)}`).join('; ');
  if (text === '') return schema;
  const { description } = schema;
  return { ...schema, description: typeof description === 'string' ? `${description} (${text})` : `(${text})` };
}

function toText(value: unknown): string {
  const text = typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
  return text.length <= 300 ? text : `${text.slice(0, 300)}…`;
}
