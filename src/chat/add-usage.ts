import type { Usage } from '../storage/ports/conversation-store.ts';

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 };

/** Both together. */
export function addUsage(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    ...((one.estimated || other.estimated) && { estimated: true }),
  };
}
