import type { JsonSchema } from '../../kernel/json.ts';

/** The schema with rules that cannot stand as keywords said in its description, so the model still knows them. */
export function sayInDescription(schema: JsonSchema, rules: readonly (readonly [keyword: string, value: unknown])[]) {
  const words = rules.map(([keyword, value]) => `${keyword}: ${inWords(value)}`).join('; ');
  if (words === '') return schema;
  const { description } = schema;
  return { ...schema, description: typeof description === 'string' ? `${description} (${words})` : `(${words})` };
}

function inWords(value: unknown): string {
  const text = typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
  return text.length <= 300 ? text : `${text.slice(0, 300)}…`;
}
