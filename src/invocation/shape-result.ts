import { isObject, type JsonObject } from '../kernel/json.ts';
import type { ContentBlock, ToolResult } from '../kernel/tool.ts';
import { measureJson } from '../policy/measure-json.ts';
import { cutContent } from './cut-content.ts';
import { textOf } from './text-of.ts';

export interface ShapeOptions {
  readonly callId: string;
  /** Results above this are cut and say so. Where `structuredContent` is kept too, it may be half as much again. */
  readonly maxResultBytes: number;
}

export interface ShapedResult {
  readonly result: ToolResult;
  /** The server's whole result, when what is handed out is less. */
  readonly kept?: JsonObject;
}

const errorPrefix = 'MCP error: ';
// Deeper values are no results a person or model could read, and overflow what has to walk them later.
const maxDepth = 512;

/**
 * A server's answer to `tools/call` as a result: untouched in `raw` and block by block when it is small, cut with a statement when it is
 * not. Never throws: what is not shaped like a result becomes text.
 */
export function shapeResult(raw: JsonObject, options: ShapeOptions): ShapedResult {
  const { callId, maxResultBytes } = options;
  if (!measureJson(raw, { maxBytes: maxResultBytes, maxDepth }).exceeded)
    return { result: { ...toResult(raw, contentOf(raw), callId), raw } };

  const structured = fitInto(raw.structuredContent, maxResultBytes);
  const meta = fitInto(raw._meta, maxResultBytes);
  const room = Math.max(maxResultBytes - structured.bytes - meta.bytes, Math.floor(maxResultBytes / 2));
  const statements: string[] = [];
  if (!structured.fits) statements.push(leftOut('structuredContent', maxResultBytes, callId));
  if (!meta.fits) statements.push(leftOut('_meta', maxResultBytes, callId));
  const content = [
    ...cutContent(contentOf(raw, structured.fits), { maxBytes: room, callId }),
    ...statements.map((text) => ({ type: 'text' as const, text })),
  ];
  const shown: JsonObject = {
    isError: raw.isError,
    ...(structured.fits && { structuredContent: raw.structuredContent }),
    ...(meta.fits && { _meta: raw._meta }),
  };
  return { result: toResult(shown, content, callId), kept: raw };
}

/** A call that Toolwharf ended, as a result a model can read. */
export function failureResult(callId: string, code: string, message: string, data?: JsonObject): ToolResult {
  const text = `${errorPrefix}${message}`;
  const failure = { code, message, ...(data && Object.keys(data).length > 0 && { data }) };
  return { isError: true, content: [{ type: 'text', text }], text, failure, callId };
}

function toResult(shown: JsonObject, content: readonly ContentBlock[], callId: string): ToolResult {
  const isError = shown.isError === true;
  const text = textOf(content);
  return {
    isError,
    content,
    text: isError ? asError(text) : text,
    ...(shown.structuredContent !== undefined && { structuredContent: shown.structuredContent }),
    ...(isObject(shown._meta) && { _meta: shown._meta }),
    callId,
  };
}

function asError(text: string): string {
  if (text.startsWith(errorPrefix)) return text;
  return `${errorPrefix}${text || 'the tool failed and gave no reason'}`;
}

/** The content as blocks. Servers that send none but `structuredContent`, or the `toolResult` of old, are read from there. */
function contentOf(raw: JsonObject, mayStructured = true): ContentBlock[] {
  const { content } = raw;
  if (Array.isArray(content)) return content.map(toBlock);
  if (content !== undefined && content !== null) return [toTextBlock(content)];
  if (raw.toolResult !== undefined) return [toTextBlock(raw.toolResult)];
  return raw.structuredContent !== undefined && mayStructured ? [toTextBlock(raw.structuredContent)] : [];
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
  if (measureJson(value, { maxBytes: Number.POSITIVE_INFINITY, maxDepth }).exceeded)
    return '[nested too deeply to be shown]';
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
