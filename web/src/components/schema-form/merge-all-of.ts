import { isRecord } from '../content/is-record.ts';
import { NoForm, type Source, type SourceReferences } from './source-references.ts';

const maxMerged = 200;

/** Merges the parts of a schema's `allOf` into the schema. */
export function mergeAllOf(source: Source, references: SourceReferences): Source {
  if (!Array.isArray(source.allOf)) return source;
  const { allOf, ...outer } = source;
  // One reference, wrapped to add a title or a description.
  const [only] = allOf;
  if (allOf.length === 1 && isRecord(only) && typeof only.$ref === 'string' && !hasShape(outer))
    return { ...outer, ...only, ...wordsOf(outer) };
  return [outer, ...gather(allOf, references)].reduce(mergeTwo);
}

/** Collects all parts, with references followed. Bounded: parts that refer to themselves twice would never end. */
function gather(allOf: readonly unknown[], references: SourceReferences): Source[] {
  const parts: Source[] = [];
  const waiting = allOf.filter(isRecord);
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
    if (parts.length >= maxMerged) throw new NoForm('its allOf has too many parts');
    const { $ref, allOf: inner, ...own } = part;
    parts.push(own);
    const target = typeof $ref === 'string' ? references.resolve($ref) : undefined;
    waiting.unshift(...[target, ...(Array.isArray(inner) ? inner : [])].filter(isRecord));
  }
  return parts;
}

/** The first part's keywords win; properties and required names are combined. */
function mergeTwo(first: Source, second: Source): Source {
  const required = [first.required, second.required].filter(Array.isArray).flat();
  return {
    ...second,
    ...first,
    ...(isRecord(first.properties) &&
      isRecord(second.properties) && { properties: mergeProperties(first.properties, second.properties) }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}

function mergeProperties(first: Source, second: Source): Source {
  const shared = Object.keys(second).filter((name) => Object.hasOwn(first, name));
  const merged = shared.map((name) => [name, { allOf: [first[name], second[name]] }]);
  return { ...second, ...first, ...Object.fromEntries(merged) };
}

function hasShape(source: Source): boolean {
  return ['properties', 'required', 'items', 'anyOf', 'oneOf', 'enum'].some((keyword) => keyword in source);
}

function wordsOf({ title, description }: Source): Source {
  return { ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
}
