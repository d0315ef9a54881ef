import { isObject, type JsonObject } from '../kernel/json.ts';
import type { ContentBlock, ToolResult } from '../kernel/tool.ts';
import { measureJson } from '../policy/measure-json.ts';
import type { ToolCallPart } from '../storage/ports/conversation-store.ts';

export type KeptResult = NonNullable<ToolCallPart['result']>;

const maxTextBytes = 64 * 1024;
const maxMediaBytes = 1024 * 1024;
const maxDepth = 512;

/** A result as a message keeps it: so much text, so much media, and a mark where that is less than there was. */
export function keepResult({ isError, content, structuredContent, failure, truncated }: ToolResult): KeptResult {
  const room = { text: maxTextBytes, media: maxMediaBytes, cut: truncated !== undefined };
  const kept = content.map((block) => keepBlock(block, room)).filter((block) => block !== undefined);
  const hasRoom = !measureJson(structuredContent ?? '', { maxBytes: room.text + 2, maxDepth }).exceeded;
  if (!hasRoom) room.cut = true;
  return {
    isError,
    content: kept,
    ...(structuredContent !== undefined && hasRoom && { structuredContent }),
    ...(failure && { errorCode: failure.code }),
    ...(room.cut && { cut: true }),
  };
}

interface Room {
  text: number;
  media: number;
  cut: boolean;
}

function keepBlock(block: ContentBlock, room: Room): JsonObject | undefined {
  const kind = isMedia(block) ? 'media' : 'text';
  const { bytes, exceeded } = measureJson(block, { maxBytes: room[kind], maxDepth });
  if (!exceeded) {
    room[kind] -= bytes;
    return block;
  }
  room.cut = true;
  if (kind === 'media') return { type: 'text', text: `[${block.type}: too large to be kept here]` };
  if (block.type !== 'text' || typeof block.text !== 'string' || room.text === 0) return undefined;
  const { read } = new TextEncoder().encodeInto(block.text, new Uint8Array(room.text));
  room.text = 0;
  return { type: 'text', text: block.text.slice(0, read) };
}

/** A picture, a sound or a file, whose bytes are sent as text. */
function isMedia(block: ContentBlock): boolean {
  return typeof (isObject(block.resource) ? block.resource.blob : block.data) === 'string';
}
