import type { Finding, Path } from './problems.ts';

export type PlainData = null | boolean | number | string | PlainData[] | PlainObject;
export interface PlainObject {
  [key: string]: PlainData;
}

/** Copies JSON values. Reports values that are not JSON, excessive depth or size, and keys named `__proto__`. */
export function copyPlain(input: unknown): { readonly value: PlainData; readonly findings: readonly Finding[] } {
  const findings: Finding[] = [];
  let count = 0;

  function copy(value: unknown, path: Path): PlainData {
    if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) findings.push({ path, message: 'must be a finite number', found: String(value) });
      return value;
    }
    if (++count > maxValues || path.length > maxDepth) {
      const message = count > maxValues ? `has more than ${maxValues} values` : 'is nested too deeply';
      if (!findings.some((finding) => finding.message === message)) findings.push({ path, message });
      return null;
    }
    if (Array.isArray(value)) return value.map((item, index) => copy(item, [...path, index]));
    if (isPlainObject(value)) return copyMembers(value, path);
    findings.push({ path, message: 'must be a JSON value', found: `a ${kindOf(value)}` });
    return null;
  }

  function copyMembers(value: object, path: Path): PlainObject {
    const members: [string, PlainData][] = [];
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue;
      if (key === '__proto__') {
        findings.push({ path: [...path, key], message: "the name '__proto__' is not allowed", atKey: true });
      } else {
        members.push([key, copy(member, [...path, key])]);
      }
    }
    return Object.fromEntries(members);
  }

  return { value: copy(input, []), findings };
}

export function isPlainMap(value: PlainData | undefined): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const maxValues = 100_000;
const maxDepth = 40;

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function kindOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? (value.constructor?.name ?? 'object') : typeof value;
}
