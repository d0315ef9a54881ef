import type { CatalogEntry } from '../catalog/catalog.ts';
import { isObject, type JsonObject } from '../kernel/json.ts';
import { escapePointerToken, parseLocalReference, valueAt } from '../kernel/json-pointer.ts';
import { measureJson } from '../policy/measure-json.ts';
import type { LargeResults } from './large-results.ts';
import { formatReference, storedId, toReference } from './references.ts';

export interface HideSecretsOptions {
  readonly callId: string;
  readonly caller: string;
  readonly store: Pick<LargeResults, 'add'>;
  /** Whether the whole result of the tool is secret. */
  readonly isSecret: (tool: CatalogEntry) => boolean;
}

type Path = readonly (string | typeof anyMember)[];

const anyMember = Symbol('any item or property');
const maxDepth = 16;
const maxSchemas = 10_000;
const bounds = { maxBytes: Number.POSITIVE_INFINITY, maxDepth: 512 };
const pathsBySchema = new WeakMap<object, readonly Path[]>();

/**
 * Replaces secrets in a result by references: the whole result of a tool that the configuration names, or the values that the
 * output schema marks with `writeOnly: true` or `format: password`. Errors stay as they are.
 */
export function hideSecrets(raw: JsonObject, entry: CatalogEntry, options: HideSecretsOptions): JsonObject {
  if (raw.isError === true) return raw;
  const { callId, caller, store } = options;
  const isSecret = options.isSecret(entry);
  const paths = isSecret ? [] : secretPaths(entry.definition.outputSchema);
  if (!isSecret && paths.length === 0) return raw;
  const { bytes } = measureJson(raw, bounds);
  store.add(storedId({ kind: 'secret', callId }), caller, raw, bytes);
  // A result without the structure that the schema promises may have the secret anywhere.
  if (isSecret || !isObject(raw.structuredContent)) return toResult(toReference('secret', callId, raw, bytes));
  const shown = paths.reduce<unknown>(
    (value, path) => hideAt(value, path, (pointer) => formatReference('secret', callId, pointer)),
    raw.structuredContent,
  );
  return { ...toResult(shown), ...(raw._meta !== undefined && { _meta: raw._meta }) };
}

function toResult(value: unknown): JsonObject {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}

/** The values that an output schema marks as secret. */
function secretPaths(schema: unknown): readonly Path[] {
  if (!isObject(schema)) return [];
  const known = pathsBySchema.get(schema);
  if (known) return known;
  const paths: Path[] = [];
  let left = maxSchemas;
  const collect = (part: unknown, path: Path): void => {
    if (!isObject(part) || path.length > maxDepth || left-- <= 0) return;
    if (path.length > 0 && (part.writeOnly === true || part.format === 'password')) {
      paths.push(path);
      return;
    }
    for (const [key, property] of Object.entries(isObject(part.properties) ? part.properties : {}))
      collect(property, [...path, key]);
    for (const members of [part.items, part.additionalProperties]) collect(members, [...path, anyMember]);
    for (const choices of [part.allOf, part.anyOf, part.oneOf])
      if (Array.isArray(choices)) for (const choice of choices) collect(choice, path);
    const referenced = typeof part.$ref === 'string' ? parseLocalReference(part.$ref) : undefined;
    if (referenced && path.length > 0) collect(valueAt(schema, referenced), path);
  };
  collect(schema, []);
  pathsBySchema.set(schema, paths);
  return paths;
}

function hideAt(value: unknown, [key, ...rest]: Path, toRef: (pointer: string) => string, at = ''): unknown {
  if (key === undefined) return value === undefined || value === null ? value : toRef(at);
  const hideMember = (member: unknown, name: string) =>
    hideAt(member, rest, toRef, `${at}/${escapePointerToken(name)}`);
  if (Array.isArray(value))
    return key === anyMember ? value.map((item, index) => hideMember(item, String(index))) : value;
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    key === anyMember || key === name ? hideMember(member, name) : member,
  ]);
  return Object.fromEntries(members);
}
