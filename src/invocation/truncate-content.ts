import { isObject, type JsonObject } from '../kernel/json.ts';
import type { ContentBlock } from '../kernel/tool.ts';
import { measureJson } from '../policy/measure-json.ts';
import { nameOfBlock } from './text-of.ts';

export interface TruncateOptions {
  /** The maximum size of the content, excluding the truncation notices. */
  readonly maxBytes: number;
  readonly callId: string;
}

const maxDepth = 512;
// With fewer bytes left than this, a truncated text is shorter than its truncation notice.
const leastText = 64;
// The maximum size of the other fields of a truncated text block.
const maxDecoration = 4096;

/** Includes blocks in order while they fit. Truncates text between characters, and describes other blocks that do not fit. */
export function truncateContent(
  blocks: readonly ContentBlock[],
  { maxBytes, callId }: TruncateOptions,
): ContentBlock[] {
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
