import type { Usage } from '../../../contract/records/conversation.ts';
import type { ModelSettings } from '../../../contract/records/model-settings.ts';

/** No tokens used. */
export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 };

/** The sum of two usages; estimated if one of them is. */
export function addUsage(one: Usage, other: Usage): Usage {
  const cached = (one.cachedInputTokens ?? 0) + (other.cachedInputTokens ?? 0);
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedInputTokens: cached > 0 ? cached : undefined,
    estimated: one.estimated || other.estimated || undefined,
  };
}

/** US dollars per million tokens. */
export type Prices = Pick<ModelSettings, 'inputPrice' | 'cachedInputPrice' | 'outputPrice'>;

/** The cost of a usage in US dollars; undefined without both prices. */
export function costOf(usage: Usage, { inputPrice, outputPrice, cachedInputPrice }: Prices): number | undefined {
  if (inputPrice === undefined || outputPrice === undefined) return undefined;
  const { inputTokens, outputTokens, cachedInputTokens = 0 } = usage;
  const uncached = Math.max(0, inputTokens - cachedInputTokens) * inputPrice;
  return (uncached + cachedInputTokens * (cachedInputPrice ?? inputPrice) + outputTokens * outputPrice) / 1_000_000;
}

/** The sum of two costs; undefined if both are. */
export function addCost(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0);
}
