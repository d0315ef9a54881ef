import { isRecord } from '../content/is-record.ts';
import { safeText } from '../safe-text.ts';

/** A schema as its server sent it. */
export type Source = Readonly<Record<string, unknown>>;

/** The reason why a schema gets no form. */
export class NoForm extends Error {}

/** Resolves references within a schema. References out of it are refused; nothing is fetched. */
export interface SourceReferences {
  /** The target of a reference. */
  resolve(reference: string): unknown;
  /** The form's own reference to the same target. */
  nameOf(reference: string): string;
  /** Converts every target that was named, including those named during conversion. */
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
      // Converting a target may add others; iterating a Map includes them.
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
