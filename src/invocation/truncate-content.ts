import { isObject, type JsonObject } from '../kernel/json.ts';
import type { ContentBlock } from '../kernel/tool.ts';
import { measureJson } from '../policy/measure-json.ts';
import { nameOfBlock } from './text-of.ts';

export interface TruncateOptions {
  /** Bytes to show; the statements about what is missing come on top. */
  readonly maxBytes: number;
  readonly callId: string;
}

const maxDepth = 512;
// A text this small says less than the line that states the cut.
const leastText = 64;
// Fields beside a text that is cut: more than this is not decoration.
const maxDecoration = 4096;

/** Blocks from the front for as long as there is room. Text is cut between characters, the rest is named instead of shown. */
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

/** The same block with the shorter text, unless its other fields are what makes it big. */
function withText(block: ContentBlock, before: string, text: string): ContentBlock {
  const bounds = { maxBytes: Buffer.byteLength(before) + maxDecoration, maxDepth };
  if (measureJson(block, bounds).exceeded) return toText(text);
  if (block.type === 'text') return { ...block, text };
  return { ...block, resource: { ...(block.resource as JsonObject), text } } as ContentBlock;
}

function toText(text: string): ContentBlock {
  return { type: 'text', text };
}

/** Never splits a character. */
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
