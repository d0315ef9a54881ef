import { upgrade } from '@scalar/openapi-upgrader';
import { isObject, type JsonObject, type JsonSchema } from '../../../contract/json.ts';
import { createSchemaCopier, resolve, UnusableOperation } from './api-schema.ts';
import { type ApiBody, type ApiParameter, type ApiTool, annotationsOf } from './api-tool.ts';
import { hasDotSegment } from './dot-segments.ts';

export interface OpenApiTools {
  readonly title?: string;
  readonly version?: string;
  readonly tools: readonly ApiTool[];
  /** Operations that cannot become tools, with the reason. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

const methods = ['get', 'put', 'post', 'delete', 'patch'];
// Headers that the connection sets itself.
const ownHeaders = new Set([
  'accept',
  'content-type',
  'authorization',
  'content-length',
  'host',
  'connection',
  'cookie',
]);

/** Converts the operations of an OpenAPI document, version 2.0 to 3.2, to tools. Throws if it is not such a document. */
export function readOpenApi(given: unknown): OpenApiTools {
  if (!isObject(given) || (typeof given.openapi !== 'string' && given.swagger !== '2.0'))
    throw new Error("it has no 'openapi' version");
  const document = upgrade(given, '3.1') as JsonObject;
  const tools: ApiTool[] = [];
  const skipped: { name: string; reason: string }[] = [];
  const names = new Set<string>();
  /** Records an unusable operation and continues with the others. */
  function attempt(name: string, work: () => void): void {
    try {
      work();
    } catch (cause) {
      if (!(cause instanceof UnusableOperation)) throw cause;
      skipped.push({ name, reason: cause.message });
    }
  }
  for (const [path, item] of Object.entries(isObject(document.paths) ? document.paths : {}))
    attempt(path, () => {
      for (const { method, operation, shared } of operationsOf(document, item)) {
        const name = unique(nameOf(method, path, operation), names);
        attempt(name, () => tools.push(toTool(document, { name, method, path, operation, shared })));
      }
    });
  const { title, version } = isObject(document.info) ? document.info : {};
  return {
    title: typeof title === 'string' ? title : undefined,
    version: typeof version === 'string' ? version : undefined,
    tools,
    skipped,
  };
}

interface Operation {
  readonly method: string;
  readonly operation: JsonObject;
  /** The parameters of all operations at this path. */
  readonly shared: readonly unknown[];
}

function operationsOf(document: JsonObject, item: unknown): Operation[] {
  const pathItem = isObject(item) && typeof item.$ref === 'string' ? resolve(document, item) : item;
  if (!isObject(pathItem)) return [];
  const shared = Array.isArray(pathItem.parameters) ? pathItem.parameters : [];
  return methods.flatMap((method) => {
    const operation = pathItem[method];
    return isObject(operation) ? [{ method: method.toUpperCase(), operation, shared }] : [];
  });
}

function toTool(
  document: JsonObject,
  { name, method, path, operation, shared }: Operation & { readonly name: string; readonly path: string },
): ApiTool {
  if (hasDotSegment(path)) throw new UnusableOperation('its path leaves the URL of the API');
  const copier = createSchemaCopier(document);
  const properties: Record<string, JsonSchema | boolean> = {};
  const required: string[] = [];
  const parameters: ApiParameter[] = [];

  /** Adds an argument under the first name that is free. */
  function addArgument(
    wanted: string,
    others: readonly string[],
    schema: JsonSchema | boolean,
    isRequired: boolean,
  ): string {
    const free = [wanted, ...others].find((one) => !Object.hasOwn(properties, one) && one !== '__proto__');
    if (free === undefined) throw new UnusableOperation(`it has two parameters named '${wanted}'`);
    properties[free] = schema;
    if (isRequired) required.push(free);
    return free;
  }

  for (const parameter of parametersOf(document, shared, operation)) {
    const { schema, ...rest } = readParameter(parameter, copier.copy);
    const isRequired = parameter.required === true || rest.in === 'path';
    const argument = addArgument(rest.name, [`${rest.name}_${rest.in}`], schema, isRequired);
    parameters.push({ argument, ...rest });
  }
  const missing = [...path.matchAll(/\{([^{}]+)\}/g)].find(
    ([, inPath]) => !parameters.some((one) => one.in === 'path' && one.name === inPath),
  );
  if (missing) throw new UnusableOperation(`it does not declare the parameter '${missing[1]}' of its path`);
  const found = bodyOf(document, operation);
  const body: ApiBody | undefined = found && {
    type: found.type,
    argument: addArgument('body', ['request_body', 'the_body'], copier.copy(found.schema), found.isRequired),
  };

  return {
    definition: {
      name,
      title: typeof operation.summary === 'string' && operation.summary !== '' ? operation.summary : undefined,
      description: descriptionOf(operation, method, path),
      inputSchema: {
        type: 'object',
        properties,
        ...(required.length > 0 && { required }),
        additionalProperties: false,
        ...(Object.keys(copier.definitions).length > 0 && { $defs: copier.definitions }),
      },
      annotations: annotationsOf(method),
    },
    method,
    path,
    parameters,
    body,
  };
}

/** The parameters of an operation; its own override those of its path. */
function parametersOf(document: JsonObject, shared: readonly unknown[], operation: JsonObject): JsonObject[] {
  const own = Array.isArray(operation.parameters) ? operation.parameters : [];
  const byLocation = new Map<string, JsonObject>();
  for (const one of [...shared, ...own]) {
    const parameter = resolve(document, one);
    if (!isObject(parameter)) throw new UnusableOperation('one of its parameters is not an object');
    if (parameter.in === 'header' && ownHeaders.has(String(parameter.name).toLowerCase())) continue;
    byLocation.set(`${String(parameter.in)} ${String(parameter.name)}`, parameter);
  }
  return [...byLocation.values()];
}

function readParameter(
  parameter: JsonObject,
  copy: (schema: unknown) => JsonSchema | boolean,
): Omit<ApiParameter, 'argument'> & { readonly schema: JsonSchema | boolean } {
  const { name, in: location, content, description } = parameter;
  if (typeof name !== 'string' || name === '') throw new UnusableOperation('one of its parameters has no name');
  if (location !== 'path' && location !== 'query' && location !== 'header' && location !== 'cookie')
    throw new UnusableOperation(`its parameter '${name}' is in '${String(location)}', which is unknown`);
  const [media] = isObject(content) ? Object.values(content) : [];
  const copied = copy(isObject(media) ? media.schema : parameter.schema);
  const schema =
    typeof description === 'string' && isObject(copied) && copied.description === undefined
      ? { ...copied, description }
      : copied;
  if (media) return { name, in: location, style: 'json', explode: false, schema };
  const usual = location === 'query' || location === 'cookie' ? 'form' : 'simple';
  const style = parameter.style ?? usual;
  const known = location === 'query' ? queryStyles : [usual];
  if (!known.includes(style as never))
    throw new UnusableOperation(`its parameter '${name}' has the style '${String(style)}', which is not supported`);
  const explode = typeof parameter.explode === 'boolean' ? parameter.explode : style === 'form';
  return { name, in: location, style: style as ApiParameter['style'], explode, schema };
}

const queryStyles: readonly ApiParameter['style'][] = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'];

function bodyOf(document: JsonObject, operation: JsonObject) {
  const body = resolve(document, operation.requestBody);
  if (!isObject(body) || !isObject(body.content)) return undefined;
  const types = Object.keys(body.content);
  const isRequired = body.required === true;
  const type = [isJson, isForm, isText].flatMap((fits) => types.find(fits) ?? [])[0];
  if (type === undefined) {
    // An optional body of an unsupported type is left out.
    if (!isRequired) return undefined;
    throw new UnusableOperation(`its body must be ${types.join(' or ') || 'of an unknown type'}`);
  }
  const media = body.content[type];
  const sent = type.includes('*') ? 'application/json' : type;
  return { type: sent, isRequired, schema: isObject(media) ? media.schema : undefined };
}

export const isJson = (type: string) => /^(?:application\/(?:[\w.+-]+\+)?json|\*\/\*|application\/\*)\b/i.test(type);
export const isForm = (type: string) => /^application\/x-www-form-urlencoded\b/i.test(type);
const isText = (type: string) => /^text\//i.test(type);

function descriptionOf({ description, summary, deprecated }: JsonObject, method: string, path: string): string {
  const text = [description, summary].find((value) => typeof value === 'string' && value.trim() !== '');
  return `${deprecated === true ? 'Deprecated. ' : ''}${text ?? `${method} ${path}`}`;
}

function nameOf(method: string, path: string, { operationId }: JsonObject): string {
  const given = typeof operationId === 'string' && operationId !== '' ? operationId : `${method.toLowerCase()}${path}`;
  return (
    given
      .replaceAll(/[^A-Za-z0-9_.-]+/g, '_')
      .replaceAll(/^_+|_+$/g, '')
      .slice(0, 120) || method.toLowerCase()
  );
}

function unique(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted}_${number}`;
  taken.add(name);
  return name;
}
