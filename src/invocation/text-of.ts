import { isObject } from '../kernel/json.ts';
import type { ContentBlock } from '../kernel/tool.ts';

/** Joins the text of all blocks. A block without text is described in brackets. */
export function textOf(content: readonly ContentBlock[]): string {
  const [only] = content;
  return only && content.length === 1 ? textOfBlock(only) : content.map(textOfBlock).join('\n');
}

/** A short description of a block: its type, name, URI, media type and size. */
export function nameOfBlock(block: ContentBlock): string {
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
