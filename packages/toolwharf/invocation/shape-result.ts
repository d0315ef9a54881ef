import type { ErrorCode } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { exactMember, jsonTextOf, memberWithText, restate, toJsonText } from '../kernel/exact-json.ts';
import type { ContentBlock, ToolResult, Truncation } from '../kernel/tool.ts';
import { type JsonMeasure, measureJson } from '../policy/measure-json.ts';
import type { CallRecord } from './call-record.ts';

export interface ShapeOptions {
  readonly callId: string;
  /** Larger results are truncated. At least a quarter of the size is left for the text. */
  readonly maxResultBytes: number;
  /** True if the tool has an output schema. */
  readonly hasOutputSchema?: boolean;
}

export interface ShapedResult {
  readonly result: ToolResult;
  /** The server's whole result, if `result` is truncated. */
  readonly whole?: JsonObject;
}

// With fewer bytes left than this, a truncated text is shorter than its truncation notice.
const leastText = 64;
// The maximum size of the other fields of a truncated text block.
const maxDecoration = 4096;

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
  if (structured.exceeded) statements.push(leftOut('structuredContent', structured.exceeded, options));
  if (meta.exceeded) statements.push(leftOut('_meta', meta.exceeded, options));
  const content = [
    ...truncateContent(contentOf(raw, !structured.exceeded), { maxBytes: room, callId }),
    ...statements.map((text) => ({ type: 'text' as const, text })),
  ];
  const shown: JsonObject = {
    isError: raw.isError,
    ...(!structured.exceeded && { structuredContent: memberWithText(raw, 'structuredContent') }),
    ...(!meta.exceeded && { _meta: raw._meta }),
  };
  const truncated: Truncation = {
    shownBytes: measureJson({ ...shown, content }, unbounded).bytes,
    totalBytes: measureJson(raw, unbounded).bytes,
    ...(options.hasOutputSchema && structured.exceeded !== undefined && { lacksOutput: true }),
  };
  return { result: { ...toResult(shown, content, callId), truncated }, whole: raw };
}

/** The result that the journal recorded for a call; undefined if it recorded none. */
export function recordedResult({ id, result, truncated }: CallRecord): ToolResult | undefined {
  if (!result) return undefined;
  const plain = jsonTextOf(result) === undefined ? restate(result) : result;
  const whole = toResult(plain, contentOf(plain), id);
  return truncated ? { ...whole, truncated } : { ...whole, raw: plain };
}

/** The parts of a result with all digits of their numbers, for code that writes them as JSON. */
export function exactParts({
  raw,
  content,
  structuredContent,
  _meta,
}: ToolResult): Pick<ToolResult, 'content' | 'structuredContent' | '_meta'> {
  if (!raw) return { content, structuredContent, _meta };
  return {
    content: content === raw.content ? (exactMember(raw, 'content') as ToolResult['content']) : content,
    structuredContent: exactMember(raw, 'structuredContent'),
    _meta: _meta && (exactMember(raw, '_meta') as JsonObject),
  };
}

/** Creates the result of a call that Toolwharf ended, in a form that a model can read. */
export function failureResult(callId: string, code: ErrorCode, message: string, data?: JsonObject): ToolResult {
  const text = `${errorPrefix}${message}`;
  const failure = { code, message, ...(data && Object.keys(data).length > 0 && { data }) };
  return { isError: true, content: [{ type: 'text', text }], text, failure, callId };
}

/** Joins the text of all blocks. A block without text is described in brackets. */
export function textOf(content: readonly ContentBlock[]): string {
  const [only] = content;
  return only && content.length === 1 ? textOfBlock(only) : content.map(textOfBlock).join('\n');
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
  if (raw.toolResult !== undefined) return [toTextBlock(exactMember(raw, 'toolResult'))];
  if (raw.structuredContent === undefined || !withStructured) return [];
  return [toTextBlock(exactMember(raw, 'structuredContent'))];
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
  return value === undefined ? '' : toJsonText(value);
}

/** The bytes that a value takes of the result: none if it exceeds a limit, because it is left out then. */
function fitInto(value: unknown, maxBytes: number): JsonMeasure {
  if (value === undefined) return { bytes: 0, exceeded: undefined };
  const { bytes, exceeded } = measureJson(value, { maxBytes, maxDepth });
  return { bytes: exceeded ? 0 : bytes, exceeded };
}

function leftOut(
  what: string,
  exceeded: NonNullable<JsonMeasure['exceeded']>,
  { maxResultBytes, callId }: ShapeOptions,
): string {
  const reason = { bytes: `larger than ${maxResultBytes} bytes`, depth: `nested deeper than ${maxDepth} levels` }[
    exceeded
  ];
  return `[cut by Toolwharf: ${what} is left out, it is ${reason}; the whole result is kept under call ${callId}]`;
}

interface TruncateOptions {
  /** The maximum size of the content, excluding the truncation notices. */
  readonly maxBytes: number;
  readonly callId: string;
}

/** Includes blocks in order while they fit. Truncates text between characters, and describes other blocks that do not fit. */
function truncateContent(blocks: readonly ContentBlock[], { maxBytes, callId }: TruncateOptions): ContentBlock[] {
  const shown: ContentBlock[] = [];
  let room = maxBytes;
  for (const [at, block] of blocks.entries()) {
    const { bytes, exceeded } = measureJson(block, { maxBytes: room, maxDepth });
    if (!exceeded) {
      shown.push(block);
      room -= bytes;
      continue;
    }
    const text = textIn(block);
    if (text === undefined)
      shown.push(toText(`[${nameOfBlock(block)}: left out by Toolwharf, too big; ${kept(callId)}]`));
    else {
      const cut = cutText(text, Math.min(room, maxBytes));
      shown.push(
        withText(
          block,
          text,
          `${cut.text}\n[cut by Toolwharf: ${cut.bytes} of ${cut.total} bytes shown; ${kept(callId)}]`,
        ),
      );
      room -= cut.bytes;
    }
    const left = blocks.length - at - 1;
    if (room < leastText && left > 0) {
      const what = left === 1 ? '1 more block is' : `${left} more blocks are`;
      shown.push(toText(`[cut by Toolwharf: ${what} left out; ${kept(callId)}]`));
      return shown;
    }
  }
  return shown;
}

function textIn(block: ContentBlock): string | undefined {
  if (block.type === 'text' && typeof block.text === 'string') return block.text;
  const text = isObject(block.resource) ? block.resource.text : undefined;
  return typeof text === 'string' ? text : undefined;
}

/** Returns the block with the shorter text, or a plain text block if its other fields are too large. */
function withText(block: ContentBlock, before: string, text: string): ContentBlock {
  const bounds = { maxBytes: Buffer.byteLength(before) + maxDecoration, maxDepth };
  if (measureJson(block, bounds).exceeded) return toText(text);
  if (block.type === 'text') return { ...block, text };
  return { ...block, resource: { ...(block.resource as JsonObject), text } } as ContentBlock;
}

function toText(text: string): ContentBlock {
  return { type: 'text', text };
}

/** Truncates at a character boundary. */
function cutText(
  text: string,
  maxBytes: number,
): { readonly text: string; readonly bytes: number; readonly total: number } {
  const { read, written } = new TextEncoder().encodeInto(text, new Uint8Array(Math.max(0, maxBytes)));
  return { text: text.slice(0, read), bytes: written, total: Buffer.byteLength(text) };
}

function kept(callId: string): string {
  return `the whole result is kept under call ${callId}`;
}

/** A short description of a block: its type, name, URI, media type and size. */
function nameOfBlock(block: ContentBlock): string {
  const { resource } = block;
  const holder = isObject(resource) ? resource : block;
  const words = [
    block.type,
    holder.name ?? holder.title,
    holder.uri,
    holder.mimeType,
    bytesOf(holder.data ?? holder.blob),
  ];
  return words
    .filter((word) => typeof word === 'string' && word !== '')
    .map((word) => short(String(word)))
    .join(', ');
}

function textOfBlock(block: ContentBlock): string {
  if (block.type === 'text') return String(block.text);
  if (block.type === 'resource' && isObject(block.resource) && typeof block.resource.text === 'string')
    return block.resource.text;
  return `[${nameOfBlock(block)}]`;
}

function bytesOf(base64: unknown): string | undefined {
  return typeof base64 === 'string' ? `${Math.floor((base64.length * 3) / 4)} bytes` : undefined;
}

function short(word: string): string {
  return word.length > 200 ? `${word.slice(0, 200).toWellFormed()}…` : word;
}
