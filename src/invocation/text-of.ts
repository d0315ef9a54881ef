import { isObject } from '../kernel/json.ts';
import type { ContentBlock } from '../kernel/tool.ts';

/** The text of all blocks, one after the other; what has no text is named in brackets. */
export function textOf(content: readonly ContentBlock[]): string {
  return content.map(textOfBlock).join('\n');
}

/** What a block is, in a few words: its type, what it holds and how big that is. */
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
