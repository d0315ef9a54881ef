import { z } from 'zod';

/** Schemas of answers that have a name in the API's document. */
export const answerSchemas = z.registry<{ id: string }>();

/** The same for bodies of requests. */
export const bodySchemas = z.registry<{ id: string }>();

/** A schema of answers by its public name. Names are public API. */
export function answer<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  answerSchemas.add(schema, { id });
  return schema;
}

/** A schema of bodies by its public name. Names are public API. */
export function body<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  bodySchemas.add(schema, { id });
  return schema;
}

/** A list that nobody changes. */
export function list<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly();
}

/** Any JSON object: what servers send is passed on as it is. */
export const json = z.record(z.string(), z.unknown());

export const isoTime = z.string().meta({ format: 'date-time' });
