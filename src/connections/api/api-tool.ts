import { argumentsInPath, type Endpoint } from '../../config/endpoint-schema.ts';
import { isObject, type JsonSchema } from '../../kernel/json.ts';
import type { ToolAnnotations, ToolDefinition } from '../../kernel/tool.ts';

/** One endpoint of an HTTP API as a tool: what the model is told of it, and how its arguments become a request. */
export interface ApiTool {
  readonly definition: ToolDefinition;
  readonly method: string;
  /** Below the server's url, with `{name}` for each parameter in it. */
  readonly path: string;
  readonly parameters: readonly ApiParameter[];
  readonly body?: ApiBody;
}

/** An argument that goes anywhere but into the body. */
export interface ApiParameter {
  readonly argument: string;
  /** What the API calls it. */
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  /** How lists and objects are written, in the words of OpenAPI; `json` for parameters that are JSON. */
  readonly style: 'simple' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | 'json';
  readonly explode: boolean;
}

export interface ApiBody {
  /** The argument that is the body; the object of all that go nowhere else if undefined. */
  readonly argument?: string;
  /** Its content type. */
  readonly type: string;
}

/** What an endpoint that was described by hand makes of its arguments. */
export function toApiTool({ name, description, method, path, query = [], input }: Endpoint): ApiTool {
  const inPath = argumentsInPath(path);
  const inputSchema = input ?? textArguments(inPath);
  const others = Object.keys(isObject(inputSchema.properties) ? inputSchema.properties : {}).filter(
    (argument) => !inPath.includes(argument),
  );
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const inQuery = hasBody ? others.filter((argument) => query.includes(argument)) : others;
  return {
    definition: {
      name,
      ...(description !== undefined && { description }),
      inputSchema,
      annotations: annotationsOf(method),
    },
    method,
    path,
    parameters: [
      ...inPath.map((argument) => ({ argument, name: argument, in: 'path', style: 'simple', explode: false }) as const),
      ...inQuery.map((argument) => ({ argument, name: argument, in: 'query', style: 'form', explode: true }) as const),
    ],
    ...(inQuery.length < others.length && { body: { type: 'application/json' } }),
  };
}

/** What a method promises. An API that keeps to it is believed where its server is trusted. */
export function annotationsOf(method: string): ToolAnnotations {
  if (method === 'GET') return { readOnlyHint: true, openWorldHint: true };
  return {
    readOnlyHint: false,
    destructiveHint: method !== 'POST',
    idempotentHint: method === 'PUT' || method === 'DELETE',
    openWorldHint: true,
  };
}

function textArguments(names: readonly string[]): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: [...names],
    additionalProperties: false,
  };
}
