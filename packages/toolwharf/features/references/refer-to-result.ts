import type { JsonObject } from '../../../contract/json.ts';
import type { LargeResults } from '../../invocation/large-results.ts';
import { toReference } from '../../invocation/references.ts';
import type { ToolResult } from '../../kernel/tool.ts';
import { measureJson } from '../../policy/measure-json.ts';

export interface ReferOptions {
  /** Larger results become references; none if undefined. */
  readonly maxInlineBytes: number | undefined;
  readonly caller: string;
  readonly store: Pick<LargeResults, 'add'> & { readonly findHere: LargeResults['find'] };
}

const bounds = { maxBytes: Number.POSITIVE_INFINITY, maxDepth: 512 };

/**
 * Stores a large result and returns its reference in the form of a result; undefined if the result is small, an error, or
 * could not be stored. Images and audio stay beside the reference, because models do not read them as text.
 */
export function referToResult(
  result: ToolResult,
  { maxInlineBytes, caller, store }: ReferOptions,
): JsonObject | undefined {
  if (maxInlineBytes === undefined || result.isError) return undefined;
  const { content, structuredContent, callId, truncated, raw, _meta } = result;
  const media = content.filter(({ type }) => type === 'image' || type === 'audio');
  if (!truncated) {
    const others = content.filter((block) => !media.includes(block));
    // The text of a structured result repeats the structure.
    const bytes = Math.max(measureJson(structuredContent, bounds).bytes, measureJson(others, bounds).bytes);
    if (bytes <= maxInlineBytes) return undefined;
    store.add(callId, caller, raw ?? { content, structuredContent }, bytes);
  }
  const stored = store.findHere(callId, caller);
  if (!stored) return undefined;
  const reference = toReference('result', callId, stored.result, stored.bytes);
  return {
    content: [{ type: 'text', text: JSON.stringify(reference) }, ...media],
    structuredContent: reference,
    _meta: { ..._meta, 'toolwharf/call': callId },
  };
}
