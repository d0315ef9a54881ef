import { isObject, type JsonObject } from '../../../contract/json.ts';
import { exactly } from '../../kernel/exact-json.ts';
import { toDisplayText } from '../../policy/display-text.ts';

/** How types are written. */
export interface TypeStyle {
  /** Writes `readonly` before members and lists; true. */
  readonly readonly?: boolean;
  /** Writes one member per line, with its description as a comment; false. */
  readonly comments?: boolean;
}

const maxDepth = 20;
/** Schemas can refer to themselves in several places, so that their size doubles with each level. */
const maxParts = 2_000;

/** The TypeScript type of a JSON Schema. What TypeScript cannot express, such as a pattern, is not checked. */
export function schemaToType(schema: unknown, { readonly = true, comments = false }: TypeStyle = {}): string {
  const root = exactly(schema);
  let parts = 0;
  const prefix = readonly ? 'readonly ' : '';

  function toType(schema: unknown, path: readonly string[], depth: number): string {
    if (!isObject(schema) || depth > maxDepth || ++parts > maxParts) return 'unknown';
    const inner = (one: unknown) => toType(one, path, depth + 1);
    if (typeof schema.$ref === 'string') {
      if (path.includes(schema.$ref)) return 'unknown';
      return toType(findReference(schema.$ref, root), [...path, schema.$ref], depth + 1);
    }
    if ('const' in schema) return JSON.stringify(schema.const);
    if (Array.isArray(schema.enum)) return union(schema.enum.map((value) => JSON.stringify(value)));
    const branches = Array.isArray(schema.anyOf) ? schema.anyOf : schema.oneOf;
    if (Array.isArray(branches)) return union(branches.map(inner));
    if (Array.isArray(schema.allOf)) return schema.allOf.map((one) => inGroup(inner(one))).join(' & ');
    const types = Array.isArray(schema.type) ? schema.type : [schema.type];
    return union(types.map((type) => typeOf(type, schema, inner)));
  }

  function typeOf(type: unknown, schema: JsonObject, inner: (schema: unknown) => string): string {
    switch (type) {
      case 'string':
      case 'boolean':
      case 'null':
        return type;
      case 'integer':
      case 'number':
        return 'number';
      case 'array':
        return `${prefix}${inGroup(inner(schema.items))}[]`;
      case 'object':
        return objectType(schema, inner);
      default:
        return isObject(schema.properties) ? objectType(schema, inner) : 'unknown';
    }
  }

  function objectType(
    { properties, required, additionalProperties }: JsonObject,
    inner: (schema: unknown) => string,
  ): string {
    const members = Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
      const isRequired = Array.isArray(required) && required.includes(name);
      const member = `${prefix}${memberName(name)}${isRequired ? '' : '?'}: ${inner(schema)}`;
      return comments ? `${commentOf(schema)}${member};` : member;
    });
    if (members.length > 0) return comments ? `{\n${members.map(indent).join('\n')}\n}` : `{ ${members.join('; ')} }`;
    const record = (type: string) => (readonly ? `Readonly<Record<string, ${type}>>` : `Record<string, ${type}>`);
    if (additionalProperties === false) return record('never');
    return record(isObject(additionalProperties) ? inner(additionalProperties) : 'unknown');
  }

  return toType(root, [], 0);
}

/** A name as it is written in an object: quoted unless it is an identifier. */
export function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

const maxComment = 2_000;

/** A text of a server as a comment on one line, which the text cannot end. */
export function toComment(text: string): string {
  const line = toDisplayText(text.replace(/\s+/g, ' ').trim(), { maxLength: maxComment }).replaceAll('\n', ' ');
  return `/** ${line.replaceAll('*/', '* /')} */`;
}

function commentOf(schema: unknown): string {
  const { description, default: fallback } = isObject(schema) ? schema : {};
  const texts = [
    typeof description === 'string' ? description : '',
    fallback === undefined ? '' : `Default: ${JSON.stringify(fallback)}`,
  ].filter((text) => text !== '');
  return texts.length === 0 ? '' : `${toComment(texts.join(' '))}\n`;
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}

function inGroup(type: string): string {
  return /^\w+$/.test(type) ? type : `(${type})`;
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  return distinct.includes('unknown') || distinct.length === 0 ? 'unknown' : distinct.join(' | ');
}

function findReference(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#')) return undefined;
  const names = reference.slice(1).split('/').slice(1);
  return names.reduce<unknown>((value, name) => {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }, root);
}
