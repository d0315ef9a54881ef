import { isObject, type JsonObject, type JsonSchema } from '../../../../../contract/json.ts';

/** The sources of generated arguments. */
export interface Material {
  /** The part of the user's message that the call is for. */
  readonly request: string;
  /** A known directory that may be used. */
  readonly directory?: string;
  /** The file used last. */
  readonly lastFile?: string;
}

/** Arguments that match a schema, from quoted texts, file names and numbers in the user's message; missing values are invented. */
export function makeArguments(schema: JsonSchema, material: Material): JsonObject {
  return makeObject(schema, createSupply(material), 0);
}

/** True if the schema requires a path and the message contains none, so that a directory must be known first. */
export function needsDirectory(schema: JsonSchema, request: string): boolean {
  const names = requiredOf(schema).filter((name) => isPath(name));
  return names.length > 0 && !isAbsolute(createSupply({ request }).fileName() ?? '');
}

interface Supply {
  nextText(): string;
  nextNumber(): number | undefined;
  path(name: string): string;
  fileName(): string | undefined;
  has(text: string): boolean;
}

function createSupply({ request, directory, lastFile }: Material): Supply {
  const quoted = [...request.matchAll(quotes)].map((match) => match.slice(1).find((text) => text !== undefined) ?? '');
  const bare = request.replace(quotes, ' ');
  const numbers = [...bare.matchAll(/-?\d+(?:\.\d+)?/g)].map(([text]) => Number(text));
  const file = /(?:[A-Za-z]:)?[\w./\\-]*(?:[/\\][\w.-]+|\w\.[A-Za-z]\w{0,4})(?=$|[\s,;:!?]|\.\s|\.$)/.exec(bare)?.[0];
  // For example: write "buy milk" to "list.txt".
  const quotedFile = quoted.findIndex((text) => /^[\w./\\ -]+\.\w{1,5}$/.test(text));
  const fileName = file ?? (quotedFile >= 0 ? quoted.splice(quotedFile, 1)[0] : undefined);
  return {
    nextText: () => quoted.shift() ?? remainder(bare),
    nextNumber: () => numbers.shift(),
    fileName: () => fileName,
    has: (text) => request.toLowerCase().includes(text.toLowerCase()),
    path(name) {
      if (fileName !== undefined) return isAbsolute(fileName) ? fileName : join(directory, fileName);
      const isDirectory = /dir|folder|root/i.test(name) || /\b(?:list|search|tree|folder|director|find)/i.test(request);
      if (isDirectory) return directory ?? '.';
      return /\b(?:write|save|create|make|take|add)\b/i.test(request) || lastFile === undefined
        ? join(directory, 'note.md')
        : lastFile;
    },
  };
}

const quotes = /"([^"]*)"|“([^”]*)”|„([^“”]*)[“”]|«([^»]*)»|`([^`]*)`|(?<![\w])'([^']*)'(?![\w])/g;

function makeObject(schema: JsonSchema, supply: Supply, depth: number): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = requiredOf(schema);
  // Paths first, so that a file name is not used as a text.
  const names = [...required].sort((one, other) => Number(isPath(other)) - Number(isPath(one)));
  const made = new Map(names.map((name) => [name, makeValue(name, properties[name], supply, depth)]));
  return Object.fromEntries(required.map((name) => [name, made.get(name)]));
}

function makeValue(name: string, given: unknown, supply: Supply, depth: number): unknown {
  const schema = isObject(given) ? given : {};
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum))
    return schema.enum.find((value) => typeof value === 'string' && supply.has(value)) ?? schema.enum[0];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'number':
    case 'integer':
      return makeNumber(schema, supply, type);
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'array':
      return depth > 3
        ? []
        : [makeValue(name.replace(/s$/, ''), schema.items ?? { type: 'string' }, supply, depth + 1)];
    case 'object':
      return depth > 3 ? {} : makeObject(schema, supply, depth + 1);
    default:
      return isPath(name) ? supply.path(name) : supply.nextText();
  }
}

function makeNumber(schema: JsonObject, supply: Supply, type: string): number {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  const value = Math.min(Math.max(supply.nextNumber() ?? 1, Number(minimum)), Number(maximum));
  return type === 'integer' ? Math.trunc(value) : value;
}

function requiredOf(schema: JsonSchema): string[] {
  return Array.isArray(schema.required) ? schema.required.map(String) : [];
}

function isPath(name: string): boolean {
  return /^(?:file|dir|directory|folder|root|source|destination)$|path|file_?name/i.test(name);
}

function isAbsolute(path: string): boolean {
  return /^(?:\/|[A-Za-z]:[/\\])/.test(path);
}

function join(directory: string | undefined, name: string): string {
  if (directory === undefined) return name;
  return `${directory.replace(/[/\\]$/, '')}${directory.includes('\\') ? '\\' : '/'}${name}`;
}

/** The message without its leading command: "echo hello there" becomes "hello there". */
function remainder(text: string): string {
  const short = text.replace(
    /^\W*(?:please|can you|could you|would you)?\W*(?:use|call|run|write|save|create|make|take|add|search|find|look up|echo|say|ask|get|show|tell me)\b\W*(?:(?:a|an|the|for|about|with|me|new|note|file|that)\b\W*)*/i,
    '',
  );
  return short.replace(/[\s.!?]+$/, '').trim() || text.trim() || 'something';
}
