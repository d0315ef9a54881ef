import { isRecord } from './is-record.ts';

type Json = Readonly<Record<string, unknown>>;

const secretWords = /pass(word|phrase|code)|secret|token|api.?key|private.?key|credential|\bpin\b|cvv|card.?number/i;
const secretWarning = 'This looks like a secret. Servers must not ask for secrets in a form.';

/** The schema of an elicitation as the schema of an object, with a warning at every field that looks like a secret. */
export function toQuestionSchema(requested: unknown): Json & { readonly properties: Json } {
  const schema = isRecord(requested) ? requested : {};
  const given = isRecord(schema.properties) ? schema.properties : {};
  const properties = Object.entries(given).map(([name, property]) => [name, withWarning(name, property)] as const);
  return { ...schema, type: 'object', properties: Object.fromEntries(properties) };
}

function withWarning(name: string, property: unknown): unknown {
  if (!isRecord(property) || (property.type ?? 'string') !== 'string' || !secretWords.test(`${name} ${property.title}`))
    return property;
  const { description } = property;
  return {
    ...property,
    description: [description, secretWarning].filter((part) => typeof part === 'string').join(' '),
  };
}
