import { isObject } from '../../kernel/json.ts';
import { memberName, schemaToType, toComment } from './schema-to-type.ts';

/** The parts of a tool's signature. */
export interface SignedTool {
  /** The name in the signature. */
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
}

/**
 * A tool as a method signature of TypeScript, with the descriptions of the tool and of its arguments as comments. The method
 * resolves with the structured result, or `unknown` where the tool declares none.
 */
export function toSignature({ name, description = '', inputSchema, outputSchema }: SignedTool): string {
  const style = { readonly: false, comments: true };
  const args = hasArguments(inputSchema)
    ? `args${hasRequired(inputSchema) ? '' : '?'}: ${schemaToType(inputSchema, style)}`
    : '';
  const result = outputSchema === undefined ? 'unknown' : schemaToType(outputSchema, style);
  const comment = description.trim() === '' ? '' : `${toComment(description)}\n`;
  return `${comment}${memberName(name)}(${args}): Promise<${result}>;`;
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
