import { isObject, type JsonSchema } from '../../../contract/json.ts';
import { argumentsInPath, type Endpoint } from '../../../contract/settings/endpoint-schema.ts';
import type { ToolAnnotations, ToolDefinition } from '../../kernel/tool.ts';

/** One endpoint of an HTTP API as a tool: its definition, and how its arguments become a request. */
export interface ApiTool {
  readonly definition: ToolDefinition;
  readonly method: string;
  /** Relative to the server's URL, with `{name}` for each path parameter. */
  readonly path: string;
  readonly parameters: readonly ApiParameter[];
  readonly body?: ApiBody;
}

/** An argument that is not part of the body. */
export interface ApiParameter {
  readonly argument: string;
  /** Its name in the API. */
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  /** How lists and objects are serialized, in terms of OpenAPI; `json` for JSON parameters. */
  readonly style: 'simple' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | 'json';
  readonly explode: boolean;
}

/** The body of an endpoint's request. */
export interface ApiBody {
  /** The argument that is the body; undefined for an object of all remaining arguments. */
  readonly argument?: string;
  /** Its content type. */
  readonly type: string;
}

/** Converts a configured endpoint to a tool. */
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
      description,
      inputSchema,
      annotations: annotationsOf(method),
    },
    method,
    path,
    parameters: [
      ...inPath.map((argument) => ({ argument, name: argument, in: 'path', style: 'simple', explode: false }) as const),
      ...inQuery.map((argument) => ({ argument, name: argument, in: 'query', style: 'form', explode: true }) as const),
    ],
    body: inQuery.length < others.length ? { type: 'application/json' } : undefined,
  };
}

/** The annotations that follow from an HTTP method; they count only if the server is trusted. */
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
