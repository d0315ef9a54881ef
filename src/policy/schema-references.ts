import { isObject, type JsonObject } from '../kernel/json.ts';
import { decodeFragment, parsePointer, valueAt } from '../kernel/json-pointer.ts';

export type Resolved =
  | { readonly ok: true; readonly target: unknown }
  | { readonly ok: false; readonly reason: string };

/** Resolves `$ref` inside one schema. External references are never fetched. */
export interface SchemaReferences {
  /** `from` is the subschema with the reference: an enclosing `$id` changes the base URI. */
  resolve(reference: string, from: JsonObject): Resolved;
}

const rootBase = 'https://schema.invalid/';
/** Keywords whose values are data, not schemas. */
const dataKeywords: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);

/** Indexes every `$id` and anchor of a schema. */
export function createReferences(root: JsonObject): SchemaReferences {
  const bases = new Map<JsonObject, string>();
  const documents = new Map<string, JsonObject>([[rootBase, root]]);
  const anchors = new Map<string, JsonObject>();

  function collect(value: unknown, base: string): void {
    if (Array.isArray(value)) for (const item of value) collect(item, base);
    if (!isObject(value)) return;
    const own = baseOf(value, base);
    bases.set(value, own);
    for (const anchor of [value.$anchor, value.$dynamicAnchor])
      if (typeof anchor === 'string') anchors.set(`${own}#${anchor}`, value);
    for (const [keyword, member] of Object.entries(value)) if (!dataKeywords.has(keyword)) collect(member, own);
  }

  function baseOf(schema: JsonObject, base: string): string {
    const id = schema.$id ?? schema.id;
    if (typeof id !== 'string') return base;
    // Before 2019-09, an `$id` with only a fragment was an anchor.
    if (id.startsWith('#')) {
      anchors.set(`${base}${id}`, schema);
      return base;
    }
    const url = URL.parse(id, base);
    if (!url) return base;
    const own = withoutFragment(url.href);
    documents.set(own, schema);
    return own;
  }

  collect(root, rootBase);

  return {
    resolve(reference, from) {
      const url = URL.parse(reference, bases.get(from) ?? rootBase);
      if (!url) return { ok: false, reason: 'is not a reference that can be followed' };
      const base = withoutFragment(url.href);
      const document = documents.get(base);
      if (!document) return { ok: false, reason: 'points outside the schema, and nothing is fetched' };
      const fragment = decodeFragment(url.hash.slice(1));
      if (fragment === '') return { ok: true, target: document };
      const target = fragment.startsWith('/')
        ? valueAt(document, parsePointer(fragment))
        : anchors.get(`${base}#${fragment}`);
      return target === undefined ? { ok: false, reason: 'points to nothing' } : { ok: true, target };
    },
  };
}

function withoutFragment(href: string): string {
  const at = href.indexOf('#');
  return at < 0 ? href : href.slice(0, at);
}
