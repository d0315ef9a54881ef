import { firstSentence, type ToolDocument } from '../../../toolwharf/features/search/tool-fields.ts';
import type { ToolIndex } from '../../../toolwharf/features/search/tool-index.ts';
import { createSlice } from '../../../toolwharf/kernel/slices.ts';

/** Each search takes longer with more tools: all tools of a very large catalog cannot be compared with all others. */
export const maxCompared = 5_000;

/** How close another tool comes to the best match for a tool's own name and purpose. */
const minCloseness = 0.8;
const rivals = 4;

/**
 * The tools that models confuse, by the id of each: of a search for one tool's name and purpose the other is among the first
 * results with nearly the score of the tool itself, and the other way round.
 */
export async function findConfusable(
  documents: readonly ToolDocument[],
  index: Pick<ToolIndex, 'search'>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const close = new Map<string, Set<string>>();
  const slice = createSlice({ maxSteps: 20 });
  for (const document of documents.slice(0, maxCompared)) {
    const found = index.search(`${document.name} ${firstSentence(document.description ?? '')}`, { limit: rivals });
    const own = found.find(({ id }) => id === document.id)?.score ?? 0;
    const near = found.filter(({ id, score }) => id !== document.id && score >= own * minCloseness);
    close.set(document.id, new Set(near.map(({ id }) => id)));
    if (slice.isOver()) await slice.next();
  }
  const mutual = [...close].map(([id, near]) => [id, [...near].filter((other) => close.get(other)?.has(id))] as const);
  return new Map(mutual.filter(([, near]) => near.length > 0));
}
