import { isSecretName } from '../kernel/secret-names.ts';

const maxShown = 80;

/** Describes a value by its type and, if it is short and not secret, its content. */
export function describeValue(value: unknown, isSecret: boolean): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `array of ${value.length} items`;
  if (typeof value === 'object') return `object with ${Object.keys(value).length} properties`;
  return isSecret ? typeof value : `${typeof value} ${showValue(value)}`;
}

/** A value as JSON, never longer than 80 characters. */
export function showValue(value: unknown): string {
  const cut = typeof value === 'string' ? value.slice(0, maxShown) : value;
  const text = JSON.stringify(cut) ?? String(cut);
  const isCut = text.length > maxShown || (typeof value === 'string' && value.length > maxShown);
  return isCut ? `${text.slice(0, maxShown - 1).toWellFormed()}…` : text;
}

/** Whether a part of the path is named like a secret, whose value must not be shown. */
export function isSecretPath(path: string): boolean {
  return path.split('/').some((part) => isSecretName(part) || /key$/i.test(part));
}
