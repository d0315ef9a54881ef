import { isObject, type JsonObject } from '../../contract/json.ts';
import { isRawNumber } from './exact-json.ts';
import { decodeFragment, escapePointerToken, parsePointer, valueAt } from './json-pointer.ts';

/** Replaces the secrets of a value; `toReference` gets the JSON pointer of each. */
export type ReplaceSecrets = (value: unknown, toReference: (pointer: string) => unknown) => unknown;

const replacers = new WeakMap<JsonObject, ReplaceSecrets | 'none'>();
/** Keywords whose schemas apply to the value itself. Of alternatives, all apply: which one the server meant is not known. */
const sameValue = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas', 'dependencies', 'extends'];
const allItems = ['contains', 'additionalItems', 'unevaluatedItems'];

/**
 * Finds the values that a schema marks with `writeOnly: true` or `format: password`. Undefined if it marks none. Where the schema
 * cannot be followed to its end, the value counts as secret.
 */
export function secretsOf(schema: unknown): ReplaceSecrets | undefined {
  if (!isObject(schema)) return undefined;
  const known = replacers.get(schema) ?? createReplacer(schema) ?? 'none';
  replacers.set(schema, known);
  return known === 'none' ? undefined : known;
}

function createReplacer(root: JsonObject): ReplaceSecrets | undefined {
  const index = indexSchema(root);
  if (!index) return (_value, toReference) => toReference('');
  if (!index.nodes.some((node) => isMarked(node) || refersTo(node, index).includes(unknown))) return undefined;
  const places = createPlaces(index);

  return (value, toReference) => {
    function walk(part: unknown, place: Place, at: string): unknown {
      if (part === undefined || part === null || place.schemas.length === 0) return part;
      if (place.isSecret || (typeof part === 'string' && hidesText(place, part))) return toReference(at);
      if (Array.isArray(part))
        return part.map((item, number) => walk(item, places.itemOf(place, number), `${at}/${number}`));
      if (!isObject(part) || isRawNumber(part)) return part;
      if (place.hasSecretNames) return toReference(at);
      const members = Object.entries(part).map(([name, member]) => [
        name,
        walk(member, places.memberOf(place, name), `${at}/${escapePointerToken(name)}`),
      ]);
      return Object.fromEntries(members);
    }

    try {
      return walk(value, places.root(), '');
    } catch (cause) {
      // The value is nested too deeply, or the schema describes too many places.
      if (cause instanceof RangeError) return toReference('');
      throw cause;
    }
  };
}

/** A place in a value, with all schemas that apply there. */
interface Place {
  readonly schemas: readonly JsonObject[];
  /** Marked as secret, or described by a schema that cannot be found. */
  readonly isSecret: boolean;
  /** A text here contains a document with secrets. */
  readonly hasSecretContent: boolean;
  /** A list or an object here contains secrets. Models write them as a text with JSON, too. */
  readonly hasSecretParts: boolean;
  /** The names of members are secret. */
  readonly hasSecretNames: boolean;
  /** The places of items and members, by what describes them. */
  readonly children: Map<string, Place>;
}

const maxPlaces = 10_000;
/** Keywords for the members of objects and the items of lists. */
const structure = [
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['items', 'prefixItems', 'contains', 'additionalItems', 'unevaluatedItems'],
];

function hidesText({ hasSecretContent, hasSecretParts }: Place, text: string): boolean {
  return hasSecretContent || (hasSecretParts && /^\s*[{[]/.test(text));
}

function createPlaces(index: SchemaIndex) {
  /** By the numbers of their schemas, so that a circular schema has as many places as combinations of schemas. */
  const places = new Map<string, Place>();
  const numbers = new Map(index.nodes.map((node, number) => [node, number]));

  function placeOf(described: readonly unknown[]): Place {
    const { schemas, isComplete } = expand(described);
    const key = `${isComplete} ${schemas
      .map((schema) => numbers.get(schema) ?? -1)
      .sort()
      .join()}`;
    const known = places.get(key);
    if (known) return known;
    if (places.size >= maxPlaces) throw new RangeError('The schema describes too many places');
    const place: Place = {
      schemas: isComplete ? schemas : [{}],
      isSecret: !isComplete || schemas.some(isMarked),
      hasSecretContent: schemas.some(({ contentSchema }) => isObject(contentSchema) && hasMark(contentSchema)),
      hasSecretParts: schemas.some((schema) => structure.some((keyword) => keyword in schema) && hasMark(schema)),
      hasSecretNames: hasSecretNames(schemas),
      children: new Map(),
    };
    places.set(key, place);
    return place;
  }

  /** The schemas with those that they refer to or combine. */
  function expand(described: readonly unknown[]) {
    const schemas = new Set<JsonObject>();
    const open = [...described];
    let isComplete = true;
    while (open.length > 0) {
      const schema = open.pop();
      if (schema === unknown) isComplete = false;
      if (!isObject(schema) || schemas.has(schema)) continue;
      schemas.add(schema);
      open.push(...refersTo(schema, index));
      for (const keyword of sameValue) open.push(...schemasIn(schema, keyword));
    }
    return { schemas: [...schemas], isComplete };
  }

  function hasSecretNames(schemas: readonly JsonObject[]): boolean {
    const ofNames = expand(schemas.map(({ propertyNames }) => propertyNames));
    return !ofNames.isComplete || ofNames.schemas.some(isMarked);
  }

  function childOf(place: Place, key: string, describe: () => readonly unknown[]): Place {
    const known = place.children.get(key);
    if (known) return known;
    const child = placeOf(describe());
    place.children.set(key, child);
    return child;
  }

  return {
    root: () => placeOf([index.root]),
    itemOf(place: Place, number: number): Place {
      const { schemas } = place;
      const first = Math.max(0, ...schemas.map((schema) => firstItems(schema).length));
      return childOf(place, `item ${Math.min(number, first)}`, () =>
        schemas.flatMap((one) => itemSchemas(one, number)),
      );
    },
    memberOf(place: Place, name: string): Place {
      const { schemas } = place;
      const describe = () => schemas.flatMap((schema) => memberSchemas(schema, name));
      if (schemas.some(({ properties }) => isObject(properties) && Object.hasOwn(properties, name)))
        return childOf(place, `member ${name}`, describe);
      // Any number of names can match patterns.
      if (schemas.some(({ patternProperties }) => isObject(patternProperties))) return placeOf(describe());
      return childOf(place, 'others', describe);
    },
  };
}

function isMarked({ writeOnly, format }: JsonObject): boolean {
  return writeOnly === true || (typeof format === 'string' && format.toLowerCase() === 'password');
}

/** Whether a schema may mark anything, at any depth. */
function hasMark(schema: JsonObject): boolean {
  const known = marks.get(schema);
  if (known !== undefined) return known;
  const index = indexSchema(schema);
  const found = !index || index.nodes.some((node) => isMarked(node) || typeof node.$ref === 'string');
  marks.set(schema, found);
  return found;
}

const marks = new WeakMap<JsonObject, boolean>();

function firstItems({ prefixItems, items }: JsonObject): readonly unknown[] {
  return Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
}

function itemSchemas(schema: JsonObject, number: number): readonly unknown[] {
  const first = firstItems(schema);
  const rest = number >= first.length && !Array.isArray(schema.items) ? [schema.items] : [];
  return [first[number], ...rest, ...allItems.map((keyword) => schema[keyword])];
}

function memberSchemas(schema: JsonObject, name: string): readonly unknown[] {
  const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema;
  const isNamed = isObject(properties) && Object.hasOwn(properties, name);
  const patterns = isObject(patternProperties) ? Object.entries(patternProperties) : [];
  const matching = patterns.filter(([pattern]) => mayMatch(pattern, name)).map(([, part]) => part);
  return [isNamed ? properties[name] : additionalProperties, ...matching, unevaluatedProperties];
}

/** Compares plain patterns such as `^x-`. All others could match: a server's regular expression could stall the process. */
function mayMatch(pattern: string, name: string): boolean {
  const plain = /^(\^)?([\w-]*)(\$)?$/.exec(pattern);
  if (!plain) return true;
  const [, start, text = '', end] = plain;
  if (start && end) return name === text;
  return start ? name.startsWith(text) : end ? name.endsWith(text) : name.includes(text);
}

/** The schemas directly in a keyword, which has one, a list of them, or several by name. */
function schemasIn(schema: JsonObject, keyword: string): readonly unknown[] {
  const content = schema[keyword];
  if (Array.isArray(content)) return content;
  const isMap = keyword === 'dependentSchemas' || keyword === 'dependencies';
  return isMap && isObject(content) ? Object.values(content) : [content];
}

/** A reference that leads nowhere. */
const unknown = Symbol('unknown schema');

interface SchemaIndex {
  readonly nodes: readonly JsonObject[];
  /** The schema resource of each node, which its references are relative to. */
  readonly resourceOf: ReadonlyMap<JsonObject, Resource>;
  readonly resources: ReadonlyMap<string, Resource>;
  /** Schemas by the name of their dynamic anchor. */
  readonly dynamic: ReadonlyMap<string, readonly JsonObject[]>;
  readonly root: JsonObject;
}

interface Resource {
  readonly uri: string;
  readonly schema: JsonObject;
  readonly anchors: Map<string, JsonObject>;
}

const maxNodes = 100_000;
const maxSchemaDepth = 1_000;
const rootUri = 'schema://root/';

/** Lists all schemas with the resources and anchors that references can name; undefined if there are too many. */
function indexSchema(root: JsonObject): SchemaIndex | undefined {
  const nodes: JsonObject[] = [];
  const resourceOf = new Map<JsonObject, Resource>();
  const resources = new Map<string, Resource>();
  const dynamic = new Map<string, JsonObject[]>();

  function addResource(uri: string, schema: JsonObject): Resource {
    const resource = { uri, schema, anchors: new Map<string, JsonObject>() };
    if (!resources.has(uri)) resources.set(uri, resource);
    return resource;
  }

  function visit(part: unknown, outer: Resource, depth: number): boolean {
    if (typeof part !== 'object' || part === null) return true;
    if (depth > maxSchemaDepth || nodes.length >= maxNodes) return false;
    if (Array.isArray(part)) return part.every((item) => visit(item, outer, depth + 1));
    const node = part as JsonObject;
    if (resourceOf.has(node)) return true;
    const { $id, $anchor, $dynamicAnchor } = node;
    const isResource = typeof $id === 'string' && !$id.startsWith('#');
    const resource = isResource ? addResource(resolveUri($id, outer.uri), node) : outer;
    nodes.push(node);
    resourceOf.set(node, resource);
    if (typeof $id === 'string' && !isResource) resource.anchors.set($id.slice(1), node);
    for (const anchor of [$anchor, $dynamicAnchor]) if (typeof anchor === 'string') resource.anchors.set(anchor, node);
    if (typeof $dynamicAnchor === 'string') dynamic.set($dynamicAnchor, [...(dynamic.get($dynamicAnchor) ?? []), node]);
    return Object.values(node).every((member) => visit(member, resource, depth + 1));
  }

  const isComplete = visit(root, addResource(rootUri, root), 0);
  return isComplete ? { nodes, resourceOf, resources, dynamic, root } : undefined;
}

/** The schemas that a schema refers to; `unknown` for a reference that leads nowhere. */
function refersTo(node: JsonObject, index: SchemaIndex): readonly (JsonObject | typeof unknown)[] {
  const { $ref, $dynamicRef, $recursiveRef } = node;
  const targets: (JsonObject | typeof unknown)[] = [];
  for (const ref of [$ref, $dynamicRef]) if (typeof ref === 'string') targets.push(resolveRef(ref, node, index));
  if (typeof $dynamicRef === 'string') {
    const [, fragment = ''] = $dynamicRef.split('#');
    targets.push(...(index.dynamic.get(decodeFragment(fragment)) ?? []));
  }
  if ($recursiveRef !== undefined) targets.push(index.root, index.resourceOf.get(node)?.schema ?? unknown);
  return targets;
}

function resolveRef(ref: string, node: JsonObject, index: SchemaIndex): JsonObject | typeof unknown {
  const [uri = '', ...rest] = ref.split('#');
  const fragment = decodeFragment(rest.join('#'));
  const base = index.resourceOf.get(node);
  const resource = uri === '' ? base : index.resources.get(resolveUri(uri, base?.uri ?? rootUri));
  if (!resource) return unknown;
  if (fragment === '') return resource.schema;
  const target = fragment.startsWith('/')
    ? valueAt(resource.schema, parsePointer(fragment))
    : resource.anchors.get(fragment);
  // A schema that is true or false marks nothing.
  if (typeof target === 'boolean') return {};
  return isObject(target) ? target : unknown;
}

/** The absolute URI without its fragment. */
function resolveUri(uri: string, base: string): string {
  const url = URL.parse(uri, base);
  if (!url) return uri;
  url.hash = '';
  return url.href;
}
