import { isObject, type JsonObject, type JsonSchema } from '../../packages/contract/json.ts';
import { errorsOf } from '../../packages/gateway/core/rest/openapi.ts';
import type { Route } from '../../packages/gateway/core/rest/route.ts';

/** The part of docs/reference/api.md that is generated from the routes and the OpenAPI document. */
export function toMarkdown(routes: readonly Route[], document: JsonObject): string {
  const { schemas } = document.components as { readonly schemas: Readonly<Record<string, JsonSchema>> };
  const paths = document.paths as Paths;
  const groups = Map.groupBy(routes, ({ group }) => group);
  const routeLines = [...groups].flatMap(([group, members]) => [
    `### Routes for ${group}`,
    '',
    '| route | operation | right | takes | answers | what it does | errors |',
    '|---|---|---|---|---|---|---|',
    ...members.map((route) => toRow(route, paths[route.path]?.[route.method] ?? {})),
    '',
    ...queriesOf(members, paths),
  ]);
  const schemaLines = Object.entries(schemas)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, schema]) => [`### \`${name}\``, '', ...describe(schema), '']);
  return ['## Routes', '', ...routeLines, '## Schemas', '', ...schemaLines].join('\n').trimEnd();
}

function toRow(route: Route, { parameters, requestBody, responses }: JsonObject): string {
  const query = ((parameters ?? []) as readonly JsonObject[])
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, required }) => `\`?${name}\`${required ? ' (required)' : ''}`);
  const status = String(route.status ?? (route.answer || route.streams || route.files ? 200 : 204));
  const answer = route.streams
    ? 'events'
    : route.files
      ? Object.keys(route.files).join(', ')
      : linkOf(contentOf((responses as JsonObject)[status]));
  const takes = [...query, ...(requestBody ? [linkOf(contentOf(requestBody))] : [])];
  const cells = [
    `\`${route.method.toUpperCase()} ${route.path}\``,
    `\`${route.operationId}\``,
    route.right,
    takes.join(', '),
    `${status === '200' ? '' : `${status} `}${answer}`.trim(),
    route.summary,
    errorsOf(route)
      .filter((code) => !common.has(code))
      .map((code) => `\`${code}\``)
      .join(', '),
  ];
  return `| ${cells.join(' | ')} |`;
}

type Paths = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;

/** A table of the query parameters of these routes, if they have any. */
function queriesOf(routes: readonly Route[], paths: Paths): string[] {
  const rows = routes.flatMap((route) => {
    const parameters = (paths[route.path]?.[route.method]?.parameters ?? []) as readonly JsonObject[];
    return parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name, schema, description = '' }) => {
        const { default: fallback } = schema as JsonSchema;
        const about = [description, fallback === undefined ? '' : `Default: ${fallback}.`].filter(Boolean).join(' ');
        return `| \`${route.operationId}\` | \`${name}\` | ${typeOf(schema as JsonSchema)} | ${about} |`;
      });
  });
  return rows.length === 0 ? [] : ['| operation | query parameter | type | about |', '|---|---|---|---|', ...rows, ''];
}

const common = new Set(['UNAUTHORIZED', 'FORBIDDEN', 'REQUEST_INVALID', 'REQUEST_TOO_LARGE']);

function contentOf(message: unknown): JsonSchema {
  const content = isObject(message) && isObject(message.content) ? message.content['application/json'] : undefined;
  return isObject(content) ? (content.schema as JsonSchema) : {};
}

function describe(schema: JsonSchema): string[] {
  const about = typeof schema.description === 'string' ? [schema.description, ''] : [];
  const variants = (schema.oneOf ?? schema.anyOf) as readonly JsonSchema[] | undefined;
  if (variants)
    return [
      ...about,
      ...variants.flatMap((variant, index) => [...(index > 0 ? ['', 'or', ''] : []), ...tableOf(variant)]),
    ];
  if (!schema.properties) return [...about, 'Any JSON object.'];
  if (Object.keys(schema.properties).length === 0) return [...about, 'An empty object.'];
  return [...about, ...tableOf(schema)];
}

function tableOf({ $ref, properties = {}, required = [] }: JsonSchema): string[] {
  if ($ref) return [linkOf({ $ref })];
  const rows = Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(([name, schema]) => {
    const must = (required as readonly string[]).includes(name) ? 'yes' : '';
    return `| \`${name}\` | ${typeOf(schema)} | ${must} | ${String(schema.description ?? '')} |`;
  });
  return ['| member | type | required | about |', '|---|---|---|---|', ...rows];
}

function typeOf(schema: JsonSchema): string {
  if (schema.$ref) return linkOf(schema);
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``.replaceAll('"', '');
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `\`${value}\``).join(', ');
  const variants = (schema.oneOf ?? schema.anyOf) as readonly JsonSchema[] | undefined;
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ type })).join(' or ');
  if (variants) return [...new Set(variants.map(typeOf))].join(' or ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items as JsonSchema)}`;
  if (schema.type === 'object') return typeOfObject(schema);
  if (schema.format === 'date-time') return 'ISO time';
  if (schema.type === 'string') return 'text';
  if (schema.type === 'integer') return 'whole number';
  if (schema.type === 'boolean') return 'true or false';
  return schema.type === 'number' ? 'number' : 'anything';
}

function typeOfObject({ properties, required = [], additionalProperties }: JsonSchema): string {
  if (isObject(properties)) {
    const members = Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(([name, member]) => {
      const mark = (required as readonly string[]).includes(name) ? '' : '?';
      return `${name}${mark}: ${typeOf(member)}`;
    });
    return `{ ${members.join('; ')} }`;
  }
  const isNamed = isObject(additionalProperties) && Object.keys(additionalProperties).length > 0;
  return isNamed ? `map of ${typeOf(additionalProperties as JsonSchema)}` : 'JSON object';
}

function linkOf({ $ref }: JsonSchema): string {
  if (typeof $ref !== 'string') return '';
  const name = $ref.split('/').at(-1) ?? '';
  return `[\`${name}\`](#${name.toLowerCase()})`;
}
