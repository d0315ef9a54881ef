import { isObject, type JsonSchema } from '../../kernel/json.ts';
import { parseLocalReference, valueAt } from '../../kernel/json-pointer.ts';
import { Inexpressible } from './inexpressible.ts';

export interface References {
  /** The `$ref` to write instead of this one. Throws `Inexpressible` where the schema has no such place. */
  to(reference: string): string;
  /** Everything that was referred to so far and through it, by its name in `$defs`. */
  definitions(read: (target: unknown) => JsonSchema): [name: string, schema: JsonSchema][];
}

/** Gives each place of `root` that is referred to one name in `$defs`. */
export function createReferences(root: JsonSchema): References {
  const names = new Map<string, string>();
  const used = new Map<string, number>();
  const targets: [name: string, target: unknown][] = [];
  return {
    to(reference) {
      const known = names.get(reference);
      if (known !== undefined) return `#/$defs/${known}`;
      const target = lookUp(root, reference);
      const name = unusedName(reference, used);
      names.set(reference, name);
      targets.push([name, target]);
      return `#/$defs/${name}`;
    },
    definitions(read) {
      const done: [string, JsonSchema][] = [];
      // Reading one may add more: a loop instead of recursion, because references form long chains and circles.
      for (const [name, target] of targets) done.push([name, read(target)]);
      return done;
    },
  };
}

function lookUp(root: JsonSchema, reference: string): unknown {
  const keys = parseLocalReference(reference);
  const target = keys && valueAt(root, keys);
  if (isObject(target) || typeof target === 'boolean') return target;
  throw new Inexpressible(`its input schema refers to ${reference}, which it does not contain`);
}

function unusedName(reference: string, used: Map<string, number>): string {
  const last = parseLocalReference(reference)?.at(-1) ?? 'root';
  const base = last.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 48);
  let count = used.get(base) ?? 0;
  let name: string;
  do {
    count++;
    name = count === 1 ? base : `${base}_${count}`;
  } while (count > 1 && used.has(name));
  used.set(base, count);
  if (name !== base) used.set(name, 1);
  return name;
}
