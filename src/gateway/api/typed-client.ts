import { isObject, type JsonObject } from '../../kernel/json.ts';

/** A TypeScript module that calls every operation of an OpenAPI document, with the types of its schemas. */
export function toTypedClient(document: JsonObject): string {
  const all = operationsOf(document);
  // A stream is for the browser's own EventSource.
  const [streams, operations] = [all.filter(({ events }) => events), all.filter(({ events }) => !events)];
  const schemas = Object.entries(memberOf(memberOf(document, 'components'), 'schemas'));
  const types = schemas.map(([name, schema]) => `export type ${name} = ${toType(schema)};`);
  const methods = operations.map(toMethod);
  return [
    '// Made by scripts/generate-api-client.mjs from the routes of the gateway. Do not edit.',
    ...types,
    ...streams.map(toEventMap),
    runtime,
    '/** Every operation of the API. */',
    'export function createApi(options: ApiOptions = {}) {',
    '  const send = createSender(options);',
    '  return {',
    ...methods,
    '  };',
    '}',
    'export type Api = ReturnType<typeof createApi>;',
    '',
  ].join('\n');
}

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly parameters: readonly JsonObject[];
  readonly body: unknown;
  readonly answer: unknown;
  /** The schemas of what it streams, by the event's name. */
  readonly events?: JsonObject;
}

function operationsOf(document: JsonObject): Operation[] {
  return Object.entries(memberOf(document, 'paths')).flatMap(([path, methods]) =>
    Object.entries(isObject(methods) ? methods : {}).flatMap(([method, found]) => {
      const operation = isObject(found) ? found : {};
      const [, success] = Object.entries(memberOf(operation, 'responses')).find(([status]) => /^2/.test(status)) ?? [];
      const content = isObject(success) ? memberOf(success, 'content') : {};
      const stream = memberOf(content, 'text/event-stream').schema;
      return {
        id: String(operation.operationId),
        method,
        path,
        summary: String(operation.summary),
        parameters: Array.isArray(operation.parameters) ? operation.parameters : [],
        body: schemaIn(memberOf(memberOf(operation, 'requestBody'), 'content')),
        answer: schemaIn(content),
        ...(isObject(stream) && { events: memberOf(stream, 'x-events') }),
      };
    }),
  );
}

function toEventMap({ id, method, path, events = {} }: Operation): string {
  const members = Object.entries(events).map(([name, schema]) => `readonly ${JSON.stringify(name)}: ${toType(schema)}`);
  return [
    `/** What ${method.toUpperCase()} ${path} streams, by the event's name. */`,
    `export interface ${id[0]?.toUpperCase()}${id.slice(1)}Stream { ${members.join('; ')} }`,
  ].join('\n');
}

function toMethod({ id, method, path, summary, parameters, body, answer }: Operation): string {
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const isQueryNeeded = inQuery.some((parameter) => parameter.required === true);
  const input = [
    ...(inPath.length > 0 ? [`readonly path: ${toRecord(inPath)}`] : []),
    ...(inQuery.length > 0 ? [`readonly query${isQueryNeeded ? '' : '?'}: ${toRecord(inQuery)}`] : []),
    ...(body === undefined ? [] : [`readonly body: ${toType(body)}`]),
    'readonly signal?: AbortSignal',
  ];
  const isNeeded = inPath.length > 0 || isQueryNeeded || body !== undefined;
  const result = answer === undefined ? 'void' : toType(answer);
  return [
    `    /** ${summary.replaceAll('*/', '* /')} */`,
    `    ${id}: (input: { ${input.join('; ')} }${isNeeded ? '' : ' = {}'}) =>`,
    `      send<${result}>('${method.toUpperCase()}', ${JSON.stringify(path)}, input),`,
  ].join('\n');
}

function toRecord(parameters: readonly JsonObject[]): string {
  const members = parameters.map((parameter) => {
    const optional = parameter.required === true ? '' : '?';
    return `readonly ${JSON.stringify(parameter.name)}${optional}: ${toType(parameter.schema)}`;
  });
  return `{ ${members.join('; ')} }`;
}

/** A JSON Schema as a type; what TypeScript cannot say is said more widely. */
function toType(schema: unknown): string {
  if (!isObject(schema)) return schema === false ? 'never' : 'unknown';
  if (typeof schema.$ref === 'string') return schema.$ref.replace(/^.*\//, '');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.map((value) => JSON.stringify(value)));
  for (const branches of [schema.anyOf, schema.oneOf]) if (Array.isArray(branches)) return union(branches.map(toType));
  if (Array.isArray(schema.allOf)) return schema.allOf.map((part) => `(${toType(part)})`).join(' & ');
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return union(types.map((type) => toNamedType(type, schema)));
}

function toNamedType(type: unknown, schema: JsonObject): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return `readonly (${toType(schema.items)})[]`;
    case 'object':
      return toObject(schema);
    default:
      return 'unknown';
  }
}

function toObject(schema: JsonObject): string {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const members = Object.entries(memberOf(schema, 'properties')).map(([name, member]) => {
    return `readonly ${JSON.stringify(name)}${required.has(name) ? '' : '?'}: ${toType(member)}`;
  });
  const rest = schema.additionalProperties;
  if (members.length === 0) return `Readonly<Record<string, ${rest === false ? 'never' : toType(rest ?? {})}>>`;
  return `{ ${members.join('; ')} }`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ') || 'never';
}

function schemaIn(content: JsonObject): unknown {
  return memberOf(content, 'application/json').schema;
}

function memberOf(owner: JsonObject, name: string): JsonObject {
  const member = owner[name];
  return isObject(member) ? member : {};
}

const runtime = `
export interface ApiOptions {
  /** Where the gateway is; default: where the page came from. */
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the gateway answered instead of a result. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: string;
  readonly status: number;
  readonly data: unknown;

  constructor(status: number, code: string, message: string, data?: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
  }
}

interface Sent {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

function createSender({ baseUrl = '', headers = {} }: ApiOptions) {
  return async <Answer>(method: string, template: string, { path = {}, query = {}, body, signal }: Sent): Promise<Answer> => {
    const place = template.replace(/\\{(\\w+)\\}/g, (_all, name: string) => encodeURIComponent(String(path[name])));
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, String(value));
    const response = await fetch(\`\${baseUrl}\${place}\${search.size > 0 ? \`?\${search}\` : ''}\`, {
      method,
      headers: { 'x-toolwharf': 'app', ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    const text = await response.text();
    const answer: unknown = text === '' ? undefined : JSON.parse(text);
    if (response.ok) return answer as Answer;
    const { error } = (answer ?? {}) as { error?: { code?: string; message?: string; data?: unknown } };
    throw new ApiError(response.status, error?.code ?? 'INTERNAL', error?.message ?? response.statusText, error?.data);
  };
}
`;
