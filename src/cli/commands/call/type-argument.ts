import type { FlatParameter } from '../../../bridges/flat.ts';
import { UsageError } from '../../usage-error.ts';

/** The text of `name=text` as the kind of value the parameter takes; what may be text stays text. */
export function typeArgument(name: string, text: string, parameter?: Pick<FlatParameter, 'type' | 'enum'>): unknown {
  const chosen = parameter?.enum?.find((value) => String(value) === text);
  if (chosen !== undefined) return chosen;
  const types = parameter?.type.split(' | ') ?? ['any'];
  if (types.includes('string') || types.includes('any')) return text;
  const value = read(text);
  if (value !== undefined && types.some((type) => isOfType(value, type))) return value;
  if (types.includes('integer') && typeof value === 'number' && Number.isInteger(value)) {
    throw new UsageError(`Argument ${name}: ${text} is too large to be sent exactly`);
  }
  throw new UsageError(`Argument ${name}: expected ${types.join(' or ')}${example(types)}, got '${text}'`);
}

/** The JSON value of a text, or its number in the ways people write one; undefined if it is neither. */
function read(text: string): unknown {
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return Number(text);
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'number') return Number.isFinite(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return type === 'null' ? value === null : typeof value === type;
}

function example(types: readonly string[]): string {
  if (types.includes('array')) return ' as JSON, such as \'["a","b"]\'';
  return types.includes('object') ? ' as JSON, such as \'{"a":1}\'' : '';
}
