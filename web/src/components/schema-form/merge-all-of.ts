import { isRecord } from '../content/is-record.ts';
import { NoForm, type Source, type SourceReferences } from './source-references.ts';

const maxMerged = 200;

/** A schema with what its `allOf` demands written into it. */
export function mergeAllOf(source: Source, references: SourceReferences): Source {
  if (!Array.isArray(source.allOf)) return source;
  const { allOf, ...outer } = source;
  // The wrapping of one reference, to say something more about it.
  const [only] = allOf;
  if (allOf.length === 1 && isRecord(only) && typeof only.$ref === 'string' && !hasShape(outer))
    return { ...outer, ...only, ...wordsOf(outer) };
  return [outer, ...gather(allOf, references)].reduce(mergeTwo);
}

/** Every part that is demanded, references followed. Bounded: what refers to the same twice at each step would never end. */
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

/** The first one's words and bounds win; properties and what is required add up. */
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
