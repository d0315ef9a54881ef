import { isObject, type JsonSchema } from '../packages/contract/json.ts';

/**
 * The page of the configuration keys with the rows of this schema. A new key gets a row from its description in the contract behind its
 * neighbour; rows that exist keep their words, which may say more and link to the guides.
 */
export function updateReference(page: string, schema: JsonSchema): string {
  const keys = keysOf(schema);
  const lines = page.split('\n').flatMap((line) => {
    const [, key] = /^\| `([^`]+)` \|/.exec(line) ?? [];
    return key === undefined ? [line] : keys.has(key) ? [toRow(key, keys.get(key), cellsOf(line))] : [];
  });
  const names = [...keys.keys()];
  for (const [at, name] of names.entries()) {
    if (lines.some((line) => line.startsWith(`| \`${name}\` |`))) continue;
    const before = names.slice(0, at).findLast((other) => parentOf(other) === parentOf(name)) ?? parentOf(name);
    const row = lines.findLastIndex(
      (line) => line.startsWith(`| \`${before}\` |`) || line.startsWith(`| \`${before}.`),
    );
    lines.splice(row + 1, 0, toRow(name, keys.get(name), ['', '', '', keys.get(name)?.description ?? '']));
  }
  return lines.join('\n');
}

function parentOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('.')));
}

/** The cells of a row, as they are written. */
function cellsOf(line: string): readonly string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function toRow(name: string, key: Key | undefined, [, , stated = '', meaning = '']: readonly string[]): string {
  // The limits of a single tool default to those of its server, not to the default of the schema.
  const isDerived = key?.fallback === undefined || name.startsWith('toolbox.tools.');
  const fallback = key?.required ? 'required' : isDerived ? stated : `\`${key.fallback}\``;
  const cells = [`\`${name}\``, key?.type.replaceAll('|', '\\|'), fallback, meaning];
  return `|${cells.map((cell) => (cell === '' ? ' |' : ` ${cell} |`)).join('')}`;
}

/** A key of the configuration file. */
interface Key {
  /** In the words of the page. */
  readonly type: string;
  readonly required: boolean;
  readonly fallback?: unknown;
  readonly description?: string;
}

/** Every key of a JSON Schema by its path; alternatives at the same path are combined. */
export function keysOf(schema: JsonSchema, prefix = '', keys = new Map<string, Key>()): Map<string, Key> {
  const alternatives = [schema.anyOf, schema.oneOf].flatMap((list) =>
    Array.isArray(list) ? (list as JsonSchema[]) : [],
  );
  for (const alternative of alternatives) keysOf(alternative, prefix, keys);
  if (isObject(schema.items)) keysOf(schema.items, prefix, keys);
  const named = isObject(schema.additionalProperties) ? schema.additionalProperties : undefined;
  if (named) keysOf(named, prefix === 'toolbox.tools.' ? prefix : `${prefix}NAME.`, keys);
  for (const [name, property] of Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)) {
    const path = prefix + name;
    const before = keys.get(path);
    const type = [...new Set([...(before?.type.split(', ') ?? []), ...typeOf(property).split(', ')])].join(', ');
    const required = before?.required === true || (Array.isArray(schema.required) && schema.required.includes(name));
    const fallback = property.default ?? before?.fallback;
    const description = (property.description as string | undefined) ?? before?.description;
    keys.set(path, { type, required: required && fallback === undefined, fallback, description });
    keysOf(property, `${path}.`, keys);
  }
  return keys;
}

function typeOf(schema: JsonSchema): string {
  const { type, items, additionalProperties, minimum, maximum } = schema;
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (Array.isArray(type)) return 'duration';
  if (Array.isArray(schema.anyOf)) {
    const [first] = schema.anyOf as JsonSchema[];
    return first?.type === 'string' ? 'text or list of text' : 'list or map';
  }
  if (type === 'integer')
    return maximum === Number.MAX_SAFE_INTEGER
      ? `whole number, ${minimum} or more`
      : `whole number, ${minimum} to ${maximum}`;
  if (type === 'boolean') return 'true or false';
  if (type === 'array') return isObject(items) && items.type === 'string' ? 'list of text' : 'list';
  if (type === 'string') return 'text';
  return isObject(additionalProperties) && additionalProperties.type === 'string' ? 'map of text' : 'map';
}
