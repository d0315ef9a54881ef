import { isObject, type JsonObject } from '../kernel/json.ts';
import type { ContentBlock, ToolResult, Truncation } from '../kernel/tool.ts';
import { measureJson } from '../policy/measure-json.ts';
import type { CallRecord } from './call-record.ts';
import { textOf } from './text-of.ts';
import { truncateContent } from './truncate-content.ts';

export interface ShapeOptions {
  readonly callId: string;
  /** Larger results are truncated. At least a quarter of the size is left for the text. */
  readonly maxResultBytes: number;
}

export interface ShapedResult {
  readonly result: ToolResult;
  /** The server's whole result, if `result` is truncated. */
  readonly whole?: JsonObject;
}

const errorPrefix = 'MCP error: ';
// Deeper values overflow the stack of code that traverses them.
const maxDepth = 512;
const unbounded = { maxBytes: Number.POSITIVE_INFINITY, maxDepth };

/**
 * Converts a server's response to `tools/call`. A small result keeps its blocks and `raw` unchanged. A large result is
 * truncated, with a notice in its text for models and `truncated` for programs. Malformed results become text, never errors.
 */
export function shapeResult(raw: JsonObject, options: ShapeOptions): ShapedResult {
  const { callId, maxResultBytes } = options;
  if (!measureJson(raw, { maxBytes: maxResultBytes, maxDepth }).exceeded) {
    const result = toResult(raw, contentOf(raw), callId);
    result.raw = raw;
    return { result };
  }

  const maxOtherBytes = Math.floor((maxResultBytes * 3) / 4);
  const meta = fitInto(raw._meta, maxOtherBytes);
  const structured = fitInto(raw.structuredContent, maxOtherBytes - meta.bytes);
  const room = maxResultBytes - structured.bytes - meta.bytes;
  const statements: string[] = [];
  if (!structured.fits) statements.push(leftOut('structuredContent', maxResultBytes, callId));
  if (!meta.fits) statements.push(leftOut('_meta', maxResultBytes, callId));
  const content = [
    ...truncateContent(contentOf(raw, structured.fits), { maxBytes: room, callId }),
    ...statements.map((text) => ({ type: 'text' as const, text })),
  ];
  const shown: JsonObject = {
    isError: raw.isError,
    ...(structured.fits && { structuredContent: raw.structuredContent }),
    ...(meta.fits && { _meta: raw._meta }),
  };
  const truncated: Truncation = {
    shownBytes: measureJson({ ...shown, content }, unbounded).bytes,
    totalBytes: measureJson(raw, unbounded).bytes,
  };
  return { result: { ...toResult(shown, content, callId), truncated }, whole: raw };
}

/** The result that the journal recorded for a call; undefined if it recorded none. */
export function recordedResult({ id, result, truncated }: CallRecord): ToolResult | undefined {
  if (!result) return undefined;
  const whole = toResult(result, contentOf(result), id);
  return truncated ? { ...whole, truncated } : { ...whole, raw: result };
}

/** Creates the result of a call that Toolwharf ended, in a form that a model can read. */
export function failureResult(callId: string, code: string, message: string, data?: JsonObject): ToolResult {
  const text = `${errorPrefix}${message}`;
  const failure = { code, message, ...(data && Object.keys(data).length > 0 && { data }) };
  return { isError: true, content: [{ type: 'text', text }], text, failure, callId };
}

type MutableResult = { -readonly [Name in keyof ToolResult]: ToolResult[Name] };

function toResult(shown: JsonObject, content: readonly ContentBlock[], callId: string): MutableResult {
  const isError = shown.isError === true;
  const text = textOf(content);
  const result: MutableResult = { isError, content, text: isError ? asError(text) : text, callId };
  if (shown.structuredContent !== undefined) result.structuredContent = shown.structuredContent;
  if (isObject(shown._meta)) result._meta = shown._meta;
  return result;
}

function asError(text: string): string {
  if (text.startsWith(errorPrefix)) return text;
  return `${errorPrefix}${text || 'the tool failed and gave no reason'}`;
}

/** The content as blocks. If there is none, `structuredContent` or the deprecated `toolResult` as text. */
function contentOf(raw: JsonObject, withStructured = true): ContentBlock[] {
  const { content } = raw;
  if (Array.isArray(content)) return content.every(isBlock) ? content : content.map(toBlock);
  if (content !== undefined && content !== null) return [toTextBlock(content)];
  if (raw.toolResult !== undefined) return [toTextBlock(raw.toolResult)];
  return raw.structuredContent !== undefined && withStructured ? [toTextBlock(raw.structuredContent)] : [];
}

function isBlock(block: unknown): block is ContentBlock {
  return toBlock(block) === block;
}

function toBlock(block: unknown): ContentBlock {
  if (!isObject(block) || typeof block.type !== 'string') return toTextBlock(block);
  if (block.type === 'text' && typeof block.text !== 'string')
    return { ...block, type: 'text', text: jsonOf(block.text) };
  return block as ContentBlock;
}

function toTextBlock(value: unknown): ContentBlock {
  return { type: 'text', text: jsonOf(value) };
}

function jsonOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (measureJson(value, unbounded).exceeded) return '[nested too deeply to be shown]';
  return JSON.stringify(value) ?? '';
}

function fitInto(value: unknown, maxBytes: number): { readonly fits: boolean; readonly bytes: number } {
  if (value === undefined) return { fits: true, bytes: 0 };
  const { bytes, exceeded } = measureJson(value, { maxBytes, maxDepth });
  return exceeded ? { fits: false, bytes: 0 } : { fits: true, bytes };
}

function leftOut(what: string, maxBytes: number, callId: string): string {
  return `[cut by Toolwharf: ${what} is left out, it is larger than ${maxBytes} bytes; the whole result is kept under call ${callId}]`;
}
