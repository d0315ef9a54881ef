import { ToolwharfError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { exactly, isRawNumber, toJsonText } from '../kernel/exact-json.ts';
import { parsePointer, valueAt } from '../kernel/json-pointer.ts';
import type { ContentBlock } from '../kernel/tool.ts';
import { argumentBounds } from '../policy/argument-bounds.ts';
import type { ArgumentBudget } from './argument-budget.ts';
import type { StoredResult } from './large-results.ts';
import { textOf } from './shape-result.ts';

/** A result instead of its value: `ref` can be passed to tools, and `read_result` reads it. */
export interface Reference {
  readonly ref: string;
  /** `json`: a structured result; `text`; `content`: blocks with other content than text. */
  readonly type: 'json' | 'text' | 'content';
  /** The approximate size in bytes. */
  readonly size: number;
  /** The beginning of the value. Secrets have none. */
  readonly preview?: string;
}

export interface ParsedReference {
  /** Models cannot read secrets: they are only replaced by their values in the arguments of tools. */
  readonly kind: 'result' | 'secret';
  readonly callId: string;
  /** The keys of the part that is meant; none for the whole value. */
  readonly keys: readonly string[];
}

/** Finds the stored result of a reference. Undefined if it has expired or belongs to another caller. */
export type FindResult = (id: string, caller: string) => Promise<StoredResult | undefined>;

const pattern = /^toolwharf-(result|secret):([0-9A-Za-z-]{1,64})(?:#(\/.*)?)?$/s;
const previewLength = 500;
/** Arguments that are nested deeper are refused. */
const { maxDepth } = argumentBounds;
const maxReferencedBytes = 32 * 1024 * 1024;

export function formatReference(kind: ParsedReference['kind'], callId: string, pointer = ''): string {
  return `toolwharf-${kind}:${callId}${pointer === '' ? '' : `#${pointer}`}`;
}

export function parseReference(text: string): ParsedReference | undefined {
  const [, kind, callId, pointer = ''] = pattern.exec(text) ?? [];
  if (callId === undefined) return undefined;
  return { kind: kind as ParsedReference['kind'], callId, keys: parsePointer(pointer) };
}

/** The name under which the store of large results has the result of a reference. */
export function storedId({ kind, callId }: Pick<ParsedReference, 'kind' | 'callId'>): string {
  return kind === 'secret' ? `secret:${callId}` : callId;
}

/** The value of a result: its structured content; without one, its text, or all its content if some of it is not text. */
export function valueOfResult({ structuredContent, content }: JsonObject): unknown {
  if (structuredContent !== undefined) return structuredContent;
  const blocks = (Array.isArray(content) ? content : []) as readonly ContentBlock[];
  return blocks.every((block) => isObject(block) && block.type === 'text') ? textOf(blocks) : { content };
}

/** The reference of a result that is stored. */
export function toReference(
  kind: ParsedReference['kind'],
  callId: string,
  result: JsonObject,
  size: number,
): Reference {
  const value = valueOfResult(kind === 'secret' ? result : exactly(result));
  const hasContent = result.structuredContent === undefined && typeof value !== 'string';
  const type = typeof value === 'string' ? 'text' : hasContent ? 'content' : 'json';
  const ref = formatReference(kind, callId);
  if (kind === 'secret') return { ref, type, size };
  const text = typeof value === 'string' ? value : toJsonText(value);
  return { ref, type, size, preview: text.slice(0, previewLength).toWellFormed() };
}

/** True if the arguments contain a reference. */
export function hasReferences(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return value.startsWith('toolwharf-') && parseReference(value) !== undefined;
  if (typeof value !== 'object' || value === null || depth >= maxDepth) return false;
  // `for … in` is slow for objects with thousands of members.
  for (const member of Object.values(value)) if (hasReferences(member, depth + 1)) return true;
  return false;
}

/** Arguments with the values of their references. */
export interface ResolvedReferences {
  readonly values: JsonObject;
  /** The same, with the references to secrets as text; the same object if there are none. */
  readonly shown: JsonObject;
  /** The ids of the calls to whose results they referred. */
  readonly calls: ReadonlySet<string>;
  /** The arguments with values in the place of masks. */
  readonly restored?: readonly string[];
}

/**
 * Replaces the references in arguments, as text or as the object that callers got, by the values that they refer to. A value that
 * contains references itself is refused, so that a text which looks like a reference always is one.
 */
export async function resolveReferences(
  args: JsonObject,
  caller: string,
  find: FindResult,
  budget?: ArgumentBudget,
): Promise<ResolvedReferences> {
  let bytesLeft = maxReferencedBytes;
  let hasSecrets = false;
  const calls = new Set<string>();

  async function read(ref: string, { keys, ...parsed }: ParsedReference): Promise<unknown> {
    const found = await find(storedId(parsed), caller);
    const value = found && valueAt(valueOfResult(exactly(found.result)), keys);
    if (value === undefined)
      throw invalid(`${ref.slice(0, 200)} refers to nothing: it has expired, or it belongs to another caller`);
    bytesLeft -= found?.bytes ?? 0;
    if (bytesLeft < 0) throw invalid(`the references stand for more than ${maxReferencedBytes} bytes`);
    budget?.addValue(value, found?.bytes ?? 0);
    if (hasReferences(value))
      throw invalid(`${ref.slice(0, 200)} stands for a value that contains references itself: refer to its parts`);
    return value;
  }

  async function resolve(value: unknown, depth: number): Promise<Resolved> {
    const ref = typeof value === 'string' ? value : depth > 0 && isReference(value) ? value.ref : undefined;
    const parsed = ref === undefined ? undefined : parseReference(ref);
    if (ref !== undefined && parsed) {
      const content = await read(ref, parsed);
      calls.add(parsed.callId);
      hasSecrets ||= parsed.kind === 'secret';
      return { value: content, shown: parsed.kind === 'secret' ? ref : content };
    }
    if (typeof value !== 'object' || value === null || depth >= maxDepth || isRawNumber(value))
      return { value, shown: value };
    const members: (readonly [string, Resolved])[] = [];
    for (const [key, member] of Object.entries(value)) members.push([key, await resolve(member, depth + 1)]);
    const collect = (of: keyof Resolved) =>
      Array.isArray(value)
        ? members.map(([, member]) => member[of])
        : Object.fromEntries(members.map(([key, member]) => [key, member[of]]));
    return { value: collect('value'), shown: collect('shown') };
  }

  const { value, shown } = await resolve(args, 0);
  await budget?.takeTurn(caller);
  return { values: value as JsonObject, shown: (hasSecrets ? shown : value) as JsonObject, calls };
}

const referenceMembers = new Set([
  'ref',
  'type',
  'size',
  'preview',
] satisfies (keyof Reference)[]) as ReadonlySet<string>;

/** Whether a value is a reference as callers got it, without members of anything else. */
function isReference(value: unknown): value is Pick<Reference, 'ref'> {
  return (
    isObject(value) && typeof value.ref === 'string' && Object.keys(value).every((name) => referenceMembers.has(name))
  );
}

interface Resolved {
  readonly value: unknown;
  readonly shown: unknown;
}

function invalid(problem: string): ToolwharfError {
  return new ToolwharfError('ARGUMENTS_INVALID', `Invalid arguments: ${problem}`);
}
