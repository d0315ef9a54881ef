import { z } from 'zod';
import { answerSchemas, bodySchemas } from '../../../contract/api/named.ts';
import { type ErrorCode, errorStatus } from '../../../contract/errors.ts';
import type { JsonObject, JsonSchema } from '../../../contract/json.ts';
import type { FileTypes, RouteDefinition } from '../../../contract/routes/define-routes.ts';
import { version } from '../../../toolwharf/kernel/version.ts';

/** The OpenAPI 3.1 document of a table of routes. */
export function toOpenApi(routes: readonly RouteDefinition[]): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of routes) {
    const path = paths[route.path] ?? {};
    path[route.method] = toOperation(route);
    paths[route.path] = path;
  }
  const schemas = { ...namedSchemas(answerSchemas, 'output'), ...namedSchemas(bodySchemas, 'input') };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Toolwharf',
      version,
      description: 'Every tool an agent can use, from every MCP server, in one place.',
    },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    security: [{ bearer: [] }, { session: [] }, {}],
    tags: [...new Set(routes.map(({ group }) => group))].map((name) => ({ name })),
    paths,
    components: {
      schemas: schemasUsedBy(paths, schemas),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: "An API key, an identity provider's token, or the admin token.",
        },
        session: { type: 'apiKey', in: 'cookie', name: 'toolwharf-session', description: 'Set by `openSession`.' },
      },
    },
  };
}

function toOperation(route: RouteDefinition): JsonObject {
  const { operationId, summary, group, right, params, query, body, answer, streams, files } = route;
  const status = route.status ?? (answer || streams || files ? 200 : 204);
  return {
    operationId,
    summary,
    tags: [group],
    'x-right': right,
    parameters: (params || query) && [...toParameters('path', params), ...toParameters('query', query)],
    requestBody: body && { required: true, content: jsonContent(refTo(body, bodySchemas)) },
    responses: {
      [status]: {
        description: summary,
        ...(answer && { content: jsonContent(refTo(answer, answerSchemas)) }),
        ...(files && { content: fileContent(files) }),
        ...(streams && { content: { 'text/event-stream': { schema: eventStream(streams) } } }),
      },
      ...toErrors(route),
    },
  };
}

function fileContent(files: FileTypes): JsonObject {
  const toSchema = (schema: z.ZodType | undefined) => (schema ? refTo(schema, answerSchemas) : { type: 'string' });
  return Object.fromEntries(Object.entries(files).map(([type, schema]) => [type, { schema: toSchema(schema) }]));
}

/** Every error code a route can respond with, ordered by status. */
export function errorsOf({ right, params, query, body, errors = [] }: RouteDefinition): ErrorCode[] {
  const codes = new Set<ErrorCode>([
    ...errors,
    ...(right === 'public' ? [] : (['UNAUTHORIZED', 'FORBIDDEN'] as const)),
    ...(params || query || body ? (['REQUEST_INVALID'] as const) : []),
    ...(body ? (['REQUEST_TOO_LARGE'] as const) : []),
  ]);
  return [...codes].sort((one, other) => errorStatus[one] - errorStatus[other] || (one < other ? -1 : 1));
}

function toErrors(route: RouteDefinition): JsonObject {
  const byStatus = Map.groupBy(errorsOf(route), (code) => errorStatus[code]);
  const content = jsonContent({ $ref: '#/components/schemas/Error' });
  return Object.fromEntries([
    ...[...byStatus].map(([status, codes]) => [
      status,
      { description: codes.map((code) => `\`${code}\``).join(', '), content },
    ]),
    ['default', { description: 'Any other error.', content }],
  ]);
}

function jsonContent(schema: JsonSchema): JsonObject {
  return { 'application/json': { schema } };
}

function toParameters(location: 'path' | 'query', schema: z.ZodObject | undefined): JsonObject[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = withoutIds(
    z.toJSONSchema(schema, { io: 'input', override: removeNoise }),
  ) as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: location,
    required: required.includes(name),
    description,
    schema: rest,
  }));
}

function eventStream(events: NonNullable<RouteDefinition['streams']>): JsonSchema {
  const refs = Object.entries(events).map(([name, schema]) => [name, refTo(schema, answerSchemas)]);
  return {
    type: 'string',
    description: 'Named events; `data` is JSON that matches the schema listed under `x-events`.',
    'x-events': Object.fromEntries(refs),
  };
}

type Registry = typeof answerSchemas;

function refTo(schema: z.ZodType, registry: Registry): JsonSchema {
  const id = registry.get(schema)?.id;
  if (id === undefined) throw new Error('Every schema of a route needs a name');
  return { $ref: `#/components/schemas/${id}` };
}

function namedSchemas(registry: Registry, io: 'input' | 'output'): JsonObject {
  const uri = (id: string) => `#/components/schemas/${id}`;
  const { schemas } = z.toJSONSchema(registry, { uri, io, override: removeNoise });
  // Sorted, so that the document does not depend on the order in which modules are loaded.
  const sorted = Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([id, schema]) => [id, withoutIds(schema)]));
}

/** Leaves out the schemas of modules that are loaded but have no routes here, as those of plugins. */
function schemasUsedBy(paths: JsonObject, schemas: JsonObject): JsonObject {
  const used = new Set<string>();
  const addRefs = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      addRefs(schemas[name]);
    }
  };
  addRefs(paths);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)));
}

/** Removes `readOnly`, which only describes our TypeScript types, and `propertyNames`, which allows any text. */
function removeNoise({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }): void {
  delete jsonSchema.readOnly;
  delete jsonSchema.propertyNames;
}

function withoutIds({ $schema: _schema, $id: _id, ...schema }: Record<string, unknown>): JsonSchema {
  return schema;
}
