import { isObject, type JsonObject } from '../../../contract/json.ts';
import type { ToolCallPart } from '../../../contract/records/conversation.ts';
import { exactParts } from '../../../toolwharf/invocation/shape-result.ts';
import type { ContentBlock, ToolResult } from '../../../toolwharf/kernel/tool.ts';
import { measureJson } from '../../../toolwharf/policy/measure-json.ts';

export type StoredResult = NonNullable<ToolCallPart['result']>;

const maxTextBytes = 64 * 1024;
const maxMediaBytes = 1024 * 1024;
const maxDepth = 512;

/** A result as stored in a message: text and media up to a limit, and `cut` if something was left out. */
export function toStoredResult(result: ToolResult): StoredResult {
  const { isError, failure, truncated } = result;
  const { content, structuredContent } = exactParts(result);
  const budget = { text: maxTextBytes, media: maxMediaBytes, cut: truncated !== undefined };
  const stored = content.map((block) => toStoredBlock(block, budget)).filter((block) => block !== undefined);
  const fits = !measureJson(structuredContent ?? '', { maxBytes: budget.text + 2, maxDepth }).exceeded;
  if (!fits) budget.cut = true;
  return {
    isError,
    content: stored,
    ...(structuredContent !== undefined && fits && { structuredContent }),
    errorCode: failure?.code,
    cut: budget.cut || undefined,
  };
}

interface Budget {
  text: number;
  media: number;
  cut: boolean;
}

function toStoredBlock(block: ContentBlock, budget: Budget): JsonObject | undefined {
  const kind = isMedia(block) ? 'media' : 'text';
  const { bytes, exceeded } = measureJson(block, { maxBytes: budget[kind], maxDepth });
  if (!exceeded) {
    budget[kind] -= bytes;
    return block;
  }
  budget.cut = true;
  if (kind === 'media') return { type: 'text', text: `[${block.type}: too large to store here]` };
  if (block.type !== 'text' || typeof block.text !== 'string' || budget.text === 0) return undefined;
  const { read } = new TextEncoder().encodeInto(block.text, new Uint8Array(budget.text));
  budget.text = 0;
  return { type: 'text', text: block.text.slice(0, read) };
}

/** An image, audio or file with base64 data. */
function isMedia(block: ContentBlock): boolean {
  return typeof (isObject(block.resource) ? block.resource.blob : block.data) === 'string';
}
