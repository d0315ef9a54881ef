import { isObject, type JsonSchema } from '../../kernel/json.ts';
import { parseLocalReference, valueAt } from '../../kernel/json-pointer.ts';
import { InexpressibleError } from './inexpressible.ts';

export interface References {
  /** The `$ref` that replaces this one. Throws `InexpressibleError` if the schema does not contain the target. */
  to(reference: string): string;
  /** The targets of all references so far, direct and indirect, by their names in `$defs`. */
  definitions(read: (target: unknown) => JsonSchema): [name: string, schema: JsonSchema][];
}

/** Assigns a name in `$defs` to each target of a reference in `root`. */
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
      // Reading one may add more. A loop, because chains of references can be long and circular.
      for (const [name, target] of targets) done.push([name, read(target)]);
      return done;
    },
  };
}

function lookUp(root: JsonSchema, reference: string): unknown {
  const keys = parseLocalReference(reference);
  const target = keys && valueAt(root, keys);
  if (isObject(target) || typeof target === 'boolean') return target;
  throw new InexpressibleError(`its input schema refers to ${reference}, which it does not contain`);
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
