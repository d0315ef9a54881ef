import { z } from 'zod';
import type { JsonObject } from '../../../contract/json.ts';
import { lazy } from '../../../contract/lazy.ts';
import { type FindResult, parseReference, storedId, valueOfResult } from '../../invocation/references.ts';
import { exactly, parseExactly } from '../../kernel/exact-json.ts';
import { valueAt } from '../../kernel/json-pointer.ts';
import { queryJsonPath } from './json-path.ts';

const input = lazy(() =>
  z.strictObject({
    ref: z.string().min(1).max(2_000).describe('The ref of a result'),
    offset: z.int().min(0).default(0).describe('Where to begin, in characters'),
    limit: z.int().min(1).max(100_000).default(10_000).describe('Maximum number of characters'),
    query: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe('A JSON path such as $.items[*].name, or a text to search for'),
  }),
);

/** The name of the tool that reads results by reference. */
export const readResultName = 'read_result';

/** The definition of the tool that reads results by reference. It never changes. */
export const readResultDefinition = lazy(
  (): JsonObject => ({
    name: readResultName,
    description:
      'Reads a large result that a tool returned as a reference {ref, type, size, preview}, in pages or by a query. A ref can also be passed to a tool as an argument without reading it.',
    inputSchema: z.toJSONSchema(input(), { io: 'input' }) as JsonObject,
    annotations: { readOnlyHint: true, openWorldHint: false },
  }),
);

/** The characters shown before and after a text that was found. */
const contextLength = 100;
const maxMatches = 50;

/** Answers `read_result`: a page of the value, of what a JSON path finds in it, or of the places of a text. */
export async function readResult(args: unknown, caller: string, find: FindResult): Promise<JsonObject> {
  const parsed = input().safeParse(args);
  if (!parsed.success) return problem(`read_result: ${z.prettifyError(parsed.error)}`);
  const { ref, offset, limit, query } = parsed.data;
  const reference = parseReference(ref);
  if (!reference) return problem(`read_result: ${ref.slice(0, 200)} is not a reference`);
  if (reference.kind === 'secret') return problem('read_result: a secret cannot be read. Pass its ref to a tool');
  const found = await find(storedId(reference), caller);
  const value = found && valueAt(valueOfResult(exactly(found.result)), reference.keys);
  if (value === undefined)
    return problem('read_result: there is no such result. It has expired, or it belongs to another caller');
  try {
    if (query === undefined) return page(ref, textOfValue(value), offset, limit);
    if (!query.startsWith('$')) return search(ref, textOfValue(value), query, offset, limit);
    return readPath(ref, value, query, offset, limit);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    return problem('read_result: the result is nested too deeply to be shown. Read a part of it with a JSON path');
  }
}

function page(ref: string, text: string, offset: number, limit: number, more: JsonObject = {}): JsonObject {
  const shown = text.slice(offset, offset + limit).toWellFormed();
  const end = offset + shown.length;
  const nextOffset = end < text.length ? end : undefined;
  const note =
    nextOffset === undefined ? '' : `\n[${offset} to ${end} of ${text.length} characters; continue with offset ${end}]`;
  return answer(`${shown}${note}`, { ref, ...more, offset, nextOffset, totalLength: text.length, text: shown });
}

function readPath(ref: string, value: unknown, path: string, offset: number, limit: number): JsonObject {
  const document = typeof value === 'string' ? parseJson(value) : { value };
  if (!document) return problem('read_result: the result is not JSON. Search for a text instead');
  const result = queryJsonPath(document.value, path);
  if ('problem' in result) return problem(`read_result: ${result.problem}`);
  return page(ref, JSON.stringify(result.values), offset, limit, { matches: result.values.length });
}

/** Finds a text, in any case, without regular expressions: their time depends on who writes them. */
function search(ref: string, text: string, query: string, offset: number, limit: number): JsonObject {
  const lower = text.toLowerCase();
  const isSameLength = lower.length === text.length;
  const [haystack, needle] = isSameLength ? [lower, query.toLowerCase()] : [text, query];
  const matches: { readonly offset: number; readonly text: string }[] = [];
  let room = limit;
  let at = haystack.indexOf(needle, offset);
  while (at >= 0 && matches.length < maxMatches && room > 0) {
    const from = Math.max(0, at - contextLength);
    const shown = text.slice(from, Math.min(at + needle.length + contextLength, from + room)).toWellFormed();
    matches.push({ offset: at, text: shown });
    room -= shown.length;
    at = haystack.indexOf(needle, at + needle.length);
  }
  const value = { ref, matches, nextOffset: at < 0 ? undefined : at, totalLength: text.length };
  return answer(JSON.stringify(value), value);
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: parseExactly(text) };
  } catch {
    return undefined;
  }
}

function textOfValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function answer(text: string, structuredContent: JsonObject): JsonObject {
  return { content: [{ type: 'text', text }], structuredContent };
}

function problem(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true };
}
