import { isRecord } from '../content/is-record.ts';
import { safeText } from '../safe-text.ts';

/** A schema as its server sent it. */
export type Source = Readonly<Record<string, unknown>>;

/** Why no form can be made. */
export class NoForm extends Error {}

/** What the references of a schema lead to. Only those into the schema itself lead anywhere: nothing is fetched. */
export interface SourceReferences {
  /** The target of a reference. */
  resolve(reference: string): unknown;
  /** The reference by which the form knows the same target. */
  nameOf(reference: string): string;
  /** Every target that was named, and those that are named on the way. */
  definitions<Schema>(convert: (target: unknown) => Schema): { readonly $defs?: Readonly<Record<string, Schema>> };
}

export function createReferences(root: Source): SourceReferences {
  const names = new Map<string, string>();

  function resolve(reference: string): unknown {
    let target: unknown = root;
    for (const part of toPointer(reference)) {
      const next: unknown = isContainer(target) && Object.hasOwn(target, part) ? Reflect.get(target, part) : undefined;
      if (next === undefined) throw new NoForm(`its reference ${safeText(reference, 100)} leads nowhere`);
      target = next;
    }
    return target;
  }

  return {
    resolve,
    nameOf(reference) {
      resolve(reference);
      const name = names.get(reference) ?? `d${names.size}`;
      names.set(reference, name);
      return `#/$defs/${name}`;
    },
    definitions<Schema>(convert: (target: unknown) => Schema) {
      const $defs: Record<string, Schema> = {};
      // Converting one may name others, which a Map hands out as well.
      for (const [reference, name] of names) $defs[name] = convert(resolve(reference));
      return names.size > 0 ? { $defs } : {};
    },
  };
}

function toPointer(reference: string): string[] {
  if (reference === '#') return [];
  if (!reference.startsWith('#/')) throw new NoForm(`its reference ${safeText(reference, 100)} leads out of it`);
  try {
    return decodeURIComponent(reference)
      .slice(2)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  } catch {
    throw new NoForm(`its reference ${safeText(reference, 100)} leads nowhere`);
  }
}

function isContainer(value: unknown): value is object {
  return isRecord(value) || Array.isArray(value);
}
