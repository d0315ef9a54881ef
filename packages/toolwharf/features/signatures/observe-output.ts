import { isObject, type JsonObject, type JsonSchema } from '../../../contract/json.ts';
import type { ObservedOutput } from '../../kernel/internal-source.ts';

/** A member whose name is longer is data, not a part of a type. */
const maxNameLength = 60;
const maxMembers = 60;
const maxDepth = 8;
const maxItems = 50;
const maxDrifts = 5;
/** With fewer earlier results, a difference says nothing. */
const minEarlier = 3;

/** The type of a tool's output as these values show it, newest first; undefined without values. Contains names, but no values. */
export function observeOutput(values: readonly unknown[]): ObservedOutput | undefined {
  if (values.length === 0) return undefined;
  const [newest, ...earlier] = values;
  const known = shapeOf(earlier);
  const drift = earlier.length < minEarlier ? [] : findDrift(known, shapeOf([newest]), 'result');
  return { schema: toSchema(shapeOf(values)), results: values.length, drift: drift.slice(0, maxDrifts) };
}

/** The common properties of several values at the same place. */
interface Shape {
  readonly types: ReadonlySet<string>;
  /** The number of values that are objects. */
  readonly objects: number;
  /** Undefined if the names of the members are data. */
  readonly members: ReadonlyMap<string, Member> | undefined;
  /** All members, if their names are data. */
  readonly values?: Shape;
  readonly items?: Shape;
}

interface Member {
  readonly shape: Shape;
  /** Every object has it. */
  readonly isRequired: boolean;
}

function shapeOf(values: readonly unknown[], depth = 0): Shape {
  const objects = values.filter(isObject);
  const lists = values.filter((value) => Array.isArray(value));
  const types = new Set(values.map(typeOf));
  if (depth >= maxDepth) return { types, objects: 0, members: new Map() };
  const items = lists.flatMap((list) => list.slice(0, maxItems));
  return {
    types,
    objects: objects.length,
    ...membersOf(objects, depth),
    ...(items.length > 0 && { items: shapeOf(items.slice(0, maxItems * 4), depth + 1) }),
  };
}

function membersOf(objects: readonly JsonObject[], depth: number): Pick<Shape, 'members' | 'values'> {
  const byName = new Map<string, unknown[]>();
  for (const object of objects)
    for (const [name, value] of Object.entries(object)) byName.set(name, [...(byName.get(name) ?? []), value]);
  const names = [...byName.keys()];
  if (names.length > maxMembers || names.some((name) => !isMemberName(name)))
    return { members: undefined, values: shapeOf([...byName.values()].flat().slice(0, maxItems * 4), depth + 1) };
  const members = [...byName].map(
    ([name, values]) =>
      [name, { shape: shapeOf(values, depth + 1), isRequired: values.length === objects.length }] as const,
  );
  return { members: new Map(members) };
}

function isMemberName(name: string): boolean {
  return name.length <= maxNameLength && /^[A-Za-z_$@][\w$@.:-]*$/.test(name) && !/\d{4}|@.*\./.test(name);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function toSchema({ types, members, values, items }: Shape): JsonSchema {
  const schemas = [...types].map((type): JsonSchema => {
    if (type === 'array') return { type, ...(items && { items: toSchema(items) }) };
    if (type !== 'object') return { type };
    if (!members) return { type, additionalProperties: values ? toSchema(values) : {} };
    return {
      type,
      properties: Object.fromEntries([...members].map(([name, { shape }]) => [name, toSchema(shape)])),
      required: [...members].filter(([, { isRequired }]) => isRequired).map(([name]) => name),
    };
  });
  return schemas.length === 1 ? (schemas[0] as JsonSchema) : { anyOf: schemas };
}

/** The differences of a new result that a script must know: a member is missing that there always was, or a type is new. */
function findDrift(before: Shape, now: Shape, path: string): string[] {
  const isEmpty = before.types.size === 0 || now.types.size === 0;
  const added = [...now.types].filter((type) => type !== 'null' && !before.types.has(type));
  if (!isEmpty && added.length > 0 && !(before.types.size === 1 && before.types.has('null')))
    return [`${path} is ${added.join(' or ')} instead of ${[...before.types].join(' or ')}`];
  const items = before.items && now.items ? findDrift(before.items, now.items, `${path}[]`) : [];
  if (!before.members || !now.members || now.objects === 0) return items;
  const members = [...before.members].flatMap(([name, { shape, isRequired }]) => {
    const member = now.members?.get(name);
    if (member) return findDrift(shape, member.shape, `${path}.${name}`);
    return isRequired ? [`${path}.${name} is missing`] : [];
  });
  return [...members, ...items];
}
