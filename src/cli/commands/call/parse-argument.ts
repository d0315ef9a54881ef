import type { FlatParameter } from '../../../bridges/flat.ts';
import { UsageError } from '../../command-errors.ts';

/** Converts the text of `name=text` to the parameter's type; it stays text if the parameter accepts strings. */
export function parseArgument(name: string, text: string, parameter?: Pick<FlatParameter, 'type' | 'enum'>): unknown {
  const chosen = parameter?.enum?.find((value) => String(value) === text);
  if (chosen !== undefined) return chosen;
  const types = parameter?.type.split(' | ') ?? ['any'];
  if (types.includes('string') || types.includes('any')) return text;
  const value = parse(text);
  if (value !== undefined && types.some((type) => isOfType(value, type))) return value;
  if (types.includes('integer') && typeof value === 'number' && Number.isInteger(value)) {
    throw new UsageError(`Argument ${name}: ${text} is too large for an exact integer`);
  }
  throw new UsageError(`Argument ${name}: expected ${types.join(' or ')}${example(types)}, got '${text}'`);
}

/** The text as JSON or as a number such as `+1` or `.5`; undefined if it is neither. */
function parse(text: string): unknown {
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
