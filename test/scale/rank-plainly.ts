import { countEdits } from '../../packages/toolwharf/features/search/similar-words.ts';
import { splitWords } from '../../packages/toolwharf/features/search/split-words.ts';
import {
  type ToolDocument,
  weighForServer,
  weighServer,
  weighTerms,
} from '../../packages/toolwharf/features/search/tool-fields.ts';
import { isCommon, synonymsOf } from '../../packages/toolwharf/features/search/word-classes.ts';

/** The ranking of the tool search as its definition says, without an index: every query reads every tool. */
export function rankPlainly(documents: readonly ToolDocument[], query: string): { id: string; score: number }[] {
  const tools = documents.map((document) => {
    const terms = weighTerms(document);
    const impacts = new Map([...terms].map(([term, { frequency }]) => [term, saturate(frequency, 1.2)]));
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
  const common = [...weights.keys()].filter(isCommon);
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
  for (const term of common) weights.set(term, (weights.get(term) ?? 0) * (1 - 0.6 * breadthOf(queried.size)));
  const breadth = breadthOf(weights.size);

  const related = new Map<string, number>();
  for (const term of weights.keys()) {
    const live = liveOf(term);
    if (live < 2 || live > 80) continue;
    const together = new Map<string, number>();
    for (const { impacts } of tools)
      if (impacts.has(term)) for (const other of impacts.keys()) together.set(other, (together.get(other) ?? 0) + 1);
    const relations = [...together]
      .filter(([other, count]) => other !== term && count > 1)
      .map(([other, count]) => ({ other, relation: count / Math.sqrt(live * liveOf(other)) }))
      .filter(({ relation }) => relation >= 0.4)
      .sort((one, other) => other.relation - one.relation || (one.other < other.other ? -1 : 1));
    for (const { other, relation } of relations.slice(0, 3))
      if (!weights.has(other)) related.set(other, Math.max(related.get(other) ?? 0, relation));
  }

  const counted = new Set(alike.map(({ own }) => own));
  const ownScores = tools.map(({ impacts }) => {
    let score = 0;
    for (const { own, synonyms } of alike) {
      const weight = own === undefined ? 1 : (weights.get(own) ?? 1);
      const most = own === undefined ? Number.POSITIVE_INFINITY : rarity(own);
      const best = synonyms
        .filter((term) => !weights.has(term))
        .map((term) => 0.5 * weight * Math.min(most, rarity(term)) * (impacts.get(term) ?? 0));
      score += Math.max(own === undefined ? 0 : weight * most * (impacts.get(own) ?? 0), 0, ...best);
    }
    for (const [term, weight] of weights)
      if (!counted.has(term)) score += weight * rarity(term) * (impacts.get(term) ?? 0);
    for (const [term, relation] of related)
      score += 0.3 * relation * (1 - breadth) * rarity(term) * (impacts.get(term) ?? 0);
    return score;
  });

  const byServer = Map.groupBy(documents, ({ server = '' }) => server);
  const servers = new Map(
    [...byServer].map(([name, ofServer]) => {
      const frequencies = weighServer(name, ofServer.at(-1)?.serverText ?? '');
      for (const document of ofServer)
        for (const [term, frequency] of weighForServer(document))
          frequencies.set(term, (frequencies.get(term) ?? 0) + frequency);
      return [name, frequencies];
    }),
  );
  const bonusOf = (name: string) => {
    const frequencies = servers.get(name) ?? new Map<string, number>();
    const length = [...frequencies.values()].reduce((sum, value) => sum + value, 0);
    let asWhole = 0;
    for (const [term, weight] of weights) {
      const count = [...servers.values()].filter((one) => one.has(term)).length;
      const impact = saturate(frequencies.get(term) ?? 0, 1.2 * (0.5 + 0.5 * (length / 60)));
      asWhole += weight * rarityOf(count, servers.size) * impact;
    }
    const best = Math.max(...documents.map(({ server = '' }, at) => (server === name ? (ownScores[at] ?? 0) : 0)));
    return (0.2 + 0.3 * breadth) * best + (0.3 + 0.2 * breadth) * asWhole;
  };
  return documents
    .map(({ id, server = '' }, at) => ({ id, score: ownScores[at] ? ownScores[at] + bonusOf(server) : 0 }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1));
}

function saturate(frequency: number, room: number): number {
  return (frequency * 2.2) / (frequency + room);
}

function rarityOf(count: number, of: number): number {
  return Math.log(1 + (of - count + 0.5) / (count + 0.5));
}

function breadthOf(terms: number): number {
  return Math.min(1, Math.max(0, (terms - 6) / 10));
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
