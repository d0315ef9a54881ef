import { countEdits } from '../../packages/toolwharf/features/search/similar-words.ts';
import { splitWords } from '../../packages/toolwharf/features/search/split-words.ts';
import { type ToolDocument, termsOfName, weighTerms } from '../../packages/toolwharf/features/search/tool-fields.ts';
import { synonymsOf } from '../../packages/toolwharf/features/search/word-classes.ts';

/** The ranking of the tool search as its definition says, without an index: every query reads every tool. */
export function rankPlainly(documents: readonly ToolDocument[], query: string): { id: string; score: number }[] {
  const tools = documents.map((document) => {
    const terms = weighTerms(document);
    const impacts = new Map([...terms].map(([term, { frequency }]) => [term, saturate(frequency)]));
    return { document, terms, impacts };
  });
  const liveOf = (term: string) => tools.filter(({ impacts }) => impacts.has(term)).length;
  const rarity = (term: string) => rarityOf(liveOf(term), tools.length);
  const vocabulary = new Set(tools.flatMap(({ terms }) => [...terms.values()].flatMap(({ words }) => [...words])));

  const words = splitWords(query);
  const queried = new Map(words.map(({ term, text }) => [term, text]));
  const weights = new Map<string, number>();
  const alike: { own?: string; synonyms: string[] }[] = [];
  for (const { term } of words) if (liveOf(term) > 0) weights.set(term, (weights.get(term) ?? 0) + 1);
  for (const [term, text] of queried) {
    const synonyms = synonymsOf(term).flatMap((one) => (liveOf(one.term) > 0 ? [one.term] : []));
    const isOwn = liveOf(term) > 0;
    if (synonyms.length > 0) alike.push({ own: isOwn ? term : undefined, synonyms });
    if (isOwn || synonyms.length > 0) continue;
    const meant = correct(text, vocabulary);
    for (const word of meant) {
      const found = splitWords(word)[0]?.term ?? '';
      weights.set(found, (weights.get(found) ?? 0) + 0.7 / meant.length);
    }
  }
  for (const [term, count] of weights) if (count > 1) weights.set(term, 1 + Math.log(count));

  const counted = new Set(alike.map(({ own }) => own));
  const scores = tools.map(({ document, impacts }) => {
    let score = 0;
    for (const { own, synonyms } of alike) {
      const weight = own === undefined ? 1 : (weights.get(own) ?? 1);
      const most = own === undefined ? Number.POSITIVE_INFINITY : rarity(own);
      const best = synonyms
        .filter((term) => !weights.has(term))
        .map((term) => 0.4 * weight * Math.min(most, rarity(term)) * (impacts.get(term) ?? 0));
      score += Math.max(own === undefined ? 0 : weight * most * (impacts.get(own) ?? 0), 0, ...best);
    }
    for (const [term, weight] of weights)
      if (!counted.has(term)) score += weight * rarity(term) * (impacts.get(term) ?? 0);
    const named = [...termsOfName(document)];
    const sum = (terms: readonly string[]) => terms.reduce((total, term) => total + rarity(term), 0);
    const covered = sum(named.filter((term) => weights.has(term))) / (sum(named) || 1);
    return score * (1 + 0.4 * covered ** 2);
  });
  return documents
    .map(({ id }, at) => ({ id, score: scores[at] ?? 0 }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1));
}

function saturate(frequency: number): number {
  return (frequency * 3) / (frequency + 2);
}

function rarityOf(count: number, of: number): number {
  return Math.log(1 + (of - count + 0.5) / (count + 0.5)) ** 1.2;
}

function correct(word: string, vocabulary: Iterable<string>): readonly string[] {
  if (word.length < 4) return [];
  const max = word.length >= 8 ? 2 : 1;
  const found = [...vocabulary]
    .filter((other) => other.length > 2)
    .map((other) => ({ other, edits: countEdits(word, other, max) }));
  const least = Math.min(...found.map(({ edits }) => edits));
  if (least > max) return [];
  return found
    .filter(({ edits }) => edits === least)
    .map(({ other }) => other)
    .sort()
    .slice(0, 3);
}
