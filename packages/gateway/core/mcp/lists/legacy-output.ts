import { isObject, type JsonObject } from '../../../../contract/json.ts';
import { exactMember, isRawNumber, replaceMembers, toJsonText } from '../../../../toolwharf/kernel/exact-json.ts';
import { parseLocalReference, valueAt } from '../../../../toolwharf/kernel/json-pointer.ts';

/**
 * True if the schema is of an object, as legacy clients need it. Others are wrapped: legacy clients get the output under `result`,
 * as from a server made with the official SDK.
 */
export function isTypedSchema(schema: JsonObject): boolean {
  return schema.type === 'object';
}

/** The schema of `{ result: … }`, with the references inside adjusted to their new place. */
export function wrapOutputSchema(schema: JsonObject): JsonObject {
  const dialect = typeof schema.$schema === 'string' ? { $schema: schema.$schema } : {};
  return { ...dialect, type: 'object', properties: { result: moveReferences(schema, false) }, required: ['result'] };
}

/** The result of a call as a legacy client can read it: `structuredContent` is an object, as the listed schema says. */
export function toLegacyOutput(result: JsonObject, outputSchema: unknown): JsonObject {
  const { structuredContent } = result;
  if (structuredContent === undefined) return result;
  const isWrapped = isObject(outputSchema) && !isTypedSchema(outputSchema);
  if (isObject(structuredContent) && !isWrapped) return result;
  const exact = exactMember(result, 'structuredContent');
  const content = isObject(structuredContent) ? undefined : contentWithText(result, exact);
  return replaceMembers(result, { ...(content && { content }), structuredContent: { result: exact } });
}

/** Clients that do not know structured output read its text. */
function contentWithText(result: JsonObject, structuredContent: unknown): readonly unknown[] | undefined {
  const content = exactMember(result, 'content');
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  if (blocks.some((block) => isObject(block) && block.type === 'text')) return undefined;
  return [...blocks, { type: 'text', text: toJsonText(structuredContent) }];
}

const dataKeywords: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);
const mapKeywords: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

function moveReferences(value: unknown, isMap: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => moveReferences(item, false));
  if (!isObject(value) || isRawNumber(value)) return value;
  // References below an `$id` are relative to it.
  if (!isMap && hasOwnBase(value)) return value;
  const entries = Object.entries(value).map(([key, member]) => {
    if (isMap) return [key, moveReferences(member, false)];
    if (key === '$ref' || key === '$dynamicRef') return [key, moveReference(member)];
    return [key, dataKeywords.has(key) ? member : moveReferences(member, mapKeywords.has(key))];
  });
  return Object.fromEntries(entries);
}

function moveReference(reference: unknown): unknown {
  if (reference === '#') return '#/properties/result';
  return typeof reference === 'string' && reference.startsWith('#/')
    ? `#/properties/result${reference.slice(1)}`
    : reference;
}

function hasOwnBase({ $id }: JsonObject): boolean {
  return $id !== undefined && !(typeof $id === 'string' && $id.startsWith('#'));
}

const isSchema = (value: unknown) => typeof value === 'boolean' || isObject(value);
const isNumber = (value: unknown) => typeof value === 'number' || isRawNumber(value);
const isText = (value: unknown) => typeof value === 'string';
const isBoolean = (value: unknown) => typeof value === 'boolean';
const isSchemas = (value: unknown) => Array.isArray(value) && value.every(isSchema);
const isSchemaMap = (value: unknown) => isObject(value) && Object.values(value).every(isSchema);
const isPattern = (value: unknown): boolean => {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
};
const isAnchor = (value: unknown) => typeof value === 'string' && /^[a-z_][-a-z0-9._]*$/i.test(value);
const isUri = (value: unknown) =>
  typeof value === 'string' && URL.canParse(value, 'https://schema.invalid/') && !/%(?![0-9a-f]{2})/i.test(value);
const types: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'null', 'object', 'array'];

/** What the validators of legacy clients expect of a keyword. They reject the list of all tools for one wrong keyword. */
const keywordChecks: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => (Array.isArray(value) ? value.every((one) => types.includes(one)) : types.includes(value)),
  maximum: isNumber,
  minimum: isNumber,
  exclusiveMaximum: isNumber,
  exclusiveMinimum: isNumber,
  multipleOf: isNumber,
  maxLength: isNumber,
  minLength: isNumber,
  maxProperties: isNumber,
  minProperties: isNumber,
  maxItems: isNumber,
  minItems: isNumber,
  maxContains: isNumber,
  minContains: isNumber,
  pattern: isPattern,
  format: isText,
  required: (value) => Array.isArray(value) && value.every(isText),
  uniqueItems: isBoolean,
  enum: (value) => Array.isArray(value) && value.length > 0,
  not: isSchema,
  if: isSchema,
  then: isSchema,
  else: isSchema,
  anyOf: isSchemas,
  oneOf: isSchemas,
  allOf: isSchemas,
  prefixItems: isSchemas,
  additionalItems: isSchema,
  items: (value) => isSchema(value) || isSchemas(value),
  contains: isSchema,
  propertyNames: isSchema,
  additionalProperties: isSchema,
  unevaluatedProperties: isSchema,
  unevaluatedItems: isSchema,
  properties: isSchemaMap,
  patternProperties: (value) => isSchemaMap(value) && Object.keys(value as JsonObject).every(isPattern),
  dependencies: (value) =>
    isObject(value) && Object.values(value).every((one) => isSchema(one) || (Array.isArray(one) && one.every(isText))),
  dependentSchemas: isSchemaMap,
  dependentRequired: (value) => isObject(value) && Object.values(value).every(Array.isArray),
  $defs: isObject,
  definitions: isObject,
  $id: isUri,

  $ref: isText,
  $anchor: isAnchor,
  $dynamicAnchor: isAnchor,
  // Draft 4 writes `$id` so. Later drafts have no such keyword, and validators refuse it.
  id: () => false,
  $async: () => false,
};

/** Why a legacy client could not use the schema; undefined if it can. */
export function outputProblem(root: JsonObject): string | undefined {
  const found: Found = { anchors: new Set(), references: [] };
  const problem = problemIn(root, root, found);
  if (problem !== undefined) return problem;
  const unresolved = found.references.find(({ reference, base }) => !resolves(reference, base, found.anchors));
  return unresolved && `its $ref ${JSON.stringify(unresolved.reference.slice(0, 100))} leads nowhere`;
}

interface Found {
  readonly anchors: Set<string>;
  /** Each reference with the schema that it is relative to. */
  readonly references: { readonly reference: string; readonly base: JsonObject }[];
}

function problemIn(schema: unknown, outerBase: JsonObject, found: Found): string | undefined {
  if (!isObject(schema)) return undefined;
  const base = hasOwnBase(schema) ? schema : outerBase;
  for (const [keyword, value] of Object.entries(schema))
    if (Object.hasOwn(keywordChecks, keyword) && !keywordChecks[keyword]?.(value)) return `its ${keyword} is not valid`;
  const { $ref, $id, $anchor, $dynamicAnchor, nullable, type } = schema;
  if ($ref !== undefined) found.references.push({ reference: String($ref), base });
  const names = [$id, ...[$anchor, $dynamicAnchor].map((anchor) => anchor && `#${String(anchor)}`)];
  for (const name of names) {
    if (name === undefined) continue;
    if (found.anchors.has(String(name))) return `two of its parts are called ${JSON.stringify(name)}`;
    found.anchors.add(String(name));
  }
  if (nullable !== undefined && type === undefined) return 'it is nullable without a type';
  if (nullable === false && [type].flat().includes('null')) return 'its type contradicts nullable';
  for (const child of childrenOf(schema)) {
    const problem = problemIn(child, base, found);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function childrenOf(schema: JsonObject): readonly unknown[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (dataKeywords.has(keyword)) return [];
    if (mapKeywords.has(keyword)) return isObject(value) ? Object.values(value) : [];
    return Array.isArray(value) ? value : [value];
  });
}

/** True for a reference to a schema in the same document. Clients do not load others. */
function resolves(reference: string, base: JsonObject, anchors: ReadonlySet<string>): boolean {
  const keys = parseLocalReference(reference);
  return keys ? isSchema(valueAt(base, keys)) : anchors.has(reference);
}
