import { isObject, type JsonObject } from '../../../contract/json.ts';

/** Returns the capabilities that a question needs and the client lacks, in protocol form; undefined if the client lacks none. */
export function missingCapability(
  capabilities: JsonObject,
  method: string,
  params: JsonObject,
): JsonObject | undefined {
  const needed = neededFor(method, params);
  if (!needed) return { [method]: {} };
  const [name, part] = needed;
  const announced = capabilities[name];
  if (!isObject(announced)) return { [name]: part === undefined ? {} : { [part]: {} } };
  if (part === undefined || isObject(announced[part])) return undefined;
  // A client that declares elicitation without a mode supports form mode.
  if (part === 'form' && !isObject(announced.url)) return undefined;
  return { [name]: { [part]: {} } };
}

function neededFor(method: string, params: JsonObject): readonly [name: string, part?: string] | undefined {
  switch (method) {
    case 'elicitation/create':
      return ['elicitation', params.mode === 'url' ? 'url' : 'form'];
    case 'sampling/createMessage':
      return params.tools === undefined && params.toolChoice === undefined ? ['sampling'] : ['sampling', 'tools'];
    case 'roots/list':
      return ['roots'];
    default:
      return undefined;
  }
}
