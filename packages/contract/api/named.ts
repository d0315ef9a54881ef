import { z } from 'zod';

/** Response schemas by their name in the OpenAPI document. */
export const answerSchemas = z.registry<{ id: string }>();

/** Request schemas by their name in the OpenAPI document. */
export const bodySchemas = z.registry<{ id: string }>();

/** Names a response schema. Names are public API. */
export function answer<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  answerSchemas.add(schema, { id });
  return schema;
}

/** Names a request schema. Names are public API. */
export function body<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  bodySchemas.add(schema, { id });
  return schema;
}

/** A read-only array. */
export function list<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly();
}

/** Any JSON object. */
export const json = z.record(z.string(), z.unknown());

/** The revision of a record in a response. */
export const revision = z.int().optional().describe('Rises with each change of the stored record.');

/** The revision of a record that a request replaces. */
export const revisionRead = z
  .int()
  .min(1)
  .optional()
  .describe(
    'The `revision` of the record that was edited. If it was changed since then, nothing is saved: the error `CONFLICT` has the present record in `data.current`, and `data.reason` is `revision`.',
  );

export const isoTime = z.string().meta({ format: 'date-time' });
