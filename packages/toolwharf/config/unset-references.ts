import { existsSync } from 'node:fs';
import { toCamelCase } from './canonical-keys.ts';
import { isPlainMap, type PlainData, type PlainObject } from './plain-data.ts';
import type { Path } from './problems.ts';
import { type Environment, parseReference } from './references.ts';

/** A `${VAR}` or `${file:…}` of a configuration that has no value now. */
export interface UnsetReference {
  readonly path: Path;
  readonly message: string;
  /** Undefined for a setting of the gateway. */
  readonly server?: string;
}

/** Finds the references without a value: in all settings of the gateway and the options of plugins, and in the parts of enabled servers. */
export function findUnset(native: PlainObject, env: Environment): readonly UnsetReference[] {
  const servers = isPlainMap(native.servers) ? Object.entries(native.servers) : [];
  return [
    // A secret of the gateway must not be empty.
    ...unsetIn(native.gateway ?? null, ['gateway'], (name) => !env[name]),
    ...unsetIn(native.plugins ?? null, ['plugins'], (name) => env[name] === undefined),
    ...servers.flatMap(([server, value]) => {
      if (!isPlainMap(value) || value.enabled === false) return [];
      const parts = Object.entries(value).filter(([key]) => partsWithReferences.has(toCamelCase(key)));
      return parts
        .flatMap(([key, part]) => unsetIn(part, ['servers', server, key], (name) => env[name] === undefined))
        .map((unset) => ({ ...unset, server }));
    }),
  ];
}

/** Finds references that are only a part of a value: they are sent as they are written. */
export function findPartialReferences(native: PlainObject): readonly Pick<UnsetReference, 'path' | 'message'>[] {
  const servers = isPlainMap(native.servers) ? Object.entries(native.servers) : [];
  return servers.flatMap(([server, value]) =>
    Object.entries(isPlainMap(value) ? value : {}).flatMap(([key, part]) => {
      if (!partsWithoutParts.has(toCamelCase(key))) return [];
      const path = ['servers', server, key];
      return isPlainMap(part)
        ? Object.entries(part).flatMap(([name, text]) => partialIn(text, [...path, name]))
        : partialIn(part, path);
    }),
  );
}

function partialIn(text: PlainData, path: Path): readonly Pick<UnsetReference, 'path' | 'message'>[] {
  if (typeof text !== 'string' || parseReference(text)) return [];
  const [reference] = /\$\{[^{}]*\}/.exec(text) ?? [];
  // Those of accounts and plugins are replaced later.
  if (reference === undefined || reference === text || reference.startsWith('${account:')) return [];
  const message = `${reference} is not replaced, because it is only a part of the value: put the whole value into one variable`;
  return [{ path, message }];
}

const partsWithReferences = new Set(['args', 'env', 'headers', 'authentication']);
const partsWithoutParts = new Set(['env', 'headers', 'url']);

function unsetIn(value: PlainData, path: Path, isUnset: (variable: string) => boolean): readonly UnsetReference[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => unsetIn(item, [...path, index], isUnset));
  if (isPlainMap(value)) return Object.entries(value).flatMap(([key, item]) => unsetIn(item, [...path, key], isUnset));
  const reference = typeof value === 'string' ? parseReference(value) : undefined;
  if (reference?.kind === 'file')
    return existsSync(reference.path) ? [] : [{ path, message: `the file '${reference.path}' does not exist` }];
  if (!reference || reference.fallback !== undefined || !isUnset(reference.name)) return [];
  return [{ path, message: `the environment variable '${reference.name}' is not set` }];
}
