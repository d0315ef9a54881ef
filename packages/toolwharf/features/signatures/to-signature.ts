import { isObject } from '../../../contract/json.ts';
import type { ObservedOutput } from '../../kernel/internal-source.ts';
import { memberName, schemaToType, toComment } from './schema-to-type.ts';

/** The parts of a tool's signature. */
export interface SignedTool {
  /** The name in the signature. */
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  /** The output where the tool declares none. */
  readonly observed?: ObservedOutput;
}

/**
 * A tool as a method signature of TypeScript, with the descriptions of the tool and of its arguments as comments. The method
 * resolves with the structured result. Where the tool declares none, that is what was observed, which a comment says, or `unknown`.
 */
export function toSignature({ name, description = '', inputSchema, outputSchema, observed }: SignedTool): string {
  const style = { readonly: false, comments: true };
  const args = hasArguments(inputSchema)
    ? `args${hasRequired(inputSchema) ? '' : '?'}: ${schemaToType(inputSchema, style)}`
    : '';
  const output = outputSchema ?? observed?.schema;
  const result = output === undefined ? 'unknown' : schemaToType(output, style);
  const comment = description.trim() === '' ? '' : `${toComment(description)}\n`;
  const note = outputSchema === undefined && observed ? `${toComment(describeObserved(observed))}\n` : '';
  return `${comment}${note}${memberName(name)}(${args}): Promise<${result}>;`;
}

function describeObserved({ results, drift }: ObservedOutput): string {
  const seen = `The output is observed in ${results === 1 ? 'one result' : `${results} results`}, not declared: check it.`;
  return drift.length === 0 ? seen : `${seen} The latest result differs: ${drift.join(', ')}.`;
}

/** Whether a tool must be called with arguments. */
export function hasRequired(schema: unknown): boolean {
  return isObject(schema) && Array.isArray(schema.required) && schema.required.length > 0;
}

function hasArguments(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { properties, additionalProperties, type: _type, $schema: _dialect, title: _title, ...others } = schema;
  if (isObject(properties) && Object.keys(properties).length > 0) return true;
  return isObject(additionalProperties) || additionalProperties === true || Object.keys(others).some(isStructural);
}

function isStructural(keyword: string): boolean {
  return ['$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const'].includes(keyword);
}
