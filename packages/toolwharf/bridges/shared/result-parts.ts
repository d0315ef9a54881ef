import { isObject } from '../../../contract/json.ts';
import { exactParts } from '../../invocation/shape-result.ts';
import { toJsonText } from '../../kernel/exact-json.ts';
import type { ContentBlock, ToolResult } from '../../kernel/tool.ts';

/** A part of a result: text, or media of a type that the provider accepts. */
export type ResultPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'media'; readonly mimeType: string; readonly data: string; readonly uri?: string };

export interface Media {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/**
 * Converts a result to one or more parts. Media that `accepts` rejects, and content that cannot be sent to a model, becomes a
 * short description as text. An error has only text parts, and the first starts with `MCP error: `.
 */
export function toResultParts(result: ToolResult, accepts: (media: Media) => boolean = () => false): ResultPart[] {
  const accepted = result.isError ? () => false : accepts;
  const parts = result.content.map((block) => toPart(block, accepted)).filter((part) => !isBlank(part));
  const hasText = result.content.some((block) => block.type === 'text' && !isBlank(toPart(block, accepted)));
  if (!hasText && result.structuredContent !== undefined && result.structuredContent !== null)
    parts.unshift(text(toJson(exactParts(result).structuredContent)));
  if (!result.isError) return parts.length > 0 ? parts : [text('[no content]')];
  const [first = text(result.text || 'The tool failed without a reason.'), ...others] = parts;
  return [asError(first), ...others];
}

/** The text parts, joined by line breaks. */
export function textOf(parts: readonly ResultPart[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}

/** Image types that every provider with image input accepts. */
export const commonImageTypes: ReadonlySet<string> = new Set(['image/gif', 'image/jpeg', 'image/png', 'image/webp']);

const errorPrefix = 'MCP error: ';

function asError(part: ResultPart): ResultPart {
  if (part.kind !== 'text' || part.text.startsWith(errorPrefix)) return part;
  return text(errorPrefix + part.text);
}

function toPart(block: ContentBlock, accepts: (media: Media) => boolean): ResultPart {
  if (block.type === 'text' && typeof block.text === 'string') return text(block.text);
  if (block.type === 'image' || block.type === 'audio')
    return media(block.type, block.mimeType, block.data, undefined, accepts);
  if (block.type === 'resource_link')
    return text(bracketed('resource link', block.name, block.uri, block.mimeType, block.description));
  if (block.type === 'resource' && isObject(block.resource)) {
    const { uri, mimeType, text: written, blob } = block.resource;
    if (typeof written === 'string') return text(`${bracketed('resource', uri, mimeType)}\n${written}`);
    return media('resource', mimeType, blob, uri, accepts);
  }
  return text(bracketed('content of type', block.type));
}

function media(
  kind: string,
  mimeType: unknown,
  data: unknown,
  uri: unknown,
  accepts: (media: Media) => boolean,
): ResultPart {
  const address = typeof uri === 'string' ? uri : undefined;
  // Line breaks are common in base64, but most providers reject them.
  const bytes = typeof data === 'string' ? data.replace(/\s+/g, '') : '';
  if (typeof mimeType === 'string' && isBase64(bytes) && accepts({ mimeType, data: bytes }))
    return { kind: 'media', mimeType, data: bytes, uri: address };
  const size = bytes === '' ? ', no data' : `, ${sizeOf(bytes)}`;
  return text(bracketed(kind, address, mimeType).replace(/\]$/, `${size}]`));
}

/** Looks for one wrong character: a pattern that repeats over a text of megabytes can exceed the stack. */
function isBase64(data: string): boolean {
  const length = data.length - paddingOf(data);
  return length > 0 && !/[^A-Za-z0-9+/]/.test(data.slice(0, length));
}

function paddingOf(data: string): number {
  return data.endsWith('==') ? 2 : Number(data.endsWith('='));
}

function toJson(value: unknown): string {
  try {
    return toJsonText(value);
  } catch {
    return '[structured content that cannot be written as JSON]';
  }
}

function sizeOf(data: string): string {
  const bytes = Math.floor(((data.length - paddingOf(data)) * 3) / 4);
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function bracketed(...words: unknown[]): string {
  return `[${words.filter((word) => typeof word === 'string' && word !== '').join(' ')}]`;
}

function isBlank(part: ResultPart): boolean {
  return part.kind === 'text' && part.text.trim() === '';
}

function text(value: string): ResultPart {
  return { kind: 'text', text: value };
}
