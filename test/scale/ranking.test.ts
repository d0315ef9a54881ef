import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ToolDocument } from '../../packages/toolwharf/features/search/tool-fields.ts';
import { createToolIndex, type ToolIndex } from '../../packages/toolwharf/features/search/tool-index.ts';
import { rankPlainly } from './rank-plainly.ts';

const words =
  'create update delete list save write issue invoice customer ticket report folder directory merge calendar cluster kanban board stock ' +
  'weather help today please';
const vocabulary = words.split(' ');
const word = fc.constantFrom(...vocabulary);
const text = (maxLength: number) => fc.array(word, { minLength: 1, maxLength }).map((list) => list.join(' '));

/** Every tool of these catalogs has the words `gateway service`, so that broad terms are part of the searches. */
const catalog = fc.array(fc.record({ server: fc.nat(5), name: text(3), description: text(8) }), {
  minLength: 1,
  maxLength: 60,
});
const misspelt = word.map((one) => `${one.slice(0, 2)}x${one.slice(2)}`);
const query = fc
  .array(fc.oneof({ weight: 4, arbitrary: word }, fc.constantFrom('gateway', 'service', 'xylophone'), misspelt), {
    minLength: 1,
    maxLength: 20,
  })
  .map((list) => list.join(' '));

function toDocuments(list: readonly { server: number; name: string; description: string }[]): ToolDocument[] {
  return list.map(({ server, name, description }, at) => ({
    id: `t${String(at).padStart(3, '0')}`,
    server: `service${server}`,
    serverText: `Gateway for ${vocabulary[server]}`,
    name: name.replaceAll(' ', '_'),
    description,
  }));
}

function expectSameRanking(index: ToolIndex, documents: readonly ToolDocument[], text: string): void {
  const expected = rankPlainly(documents, text);
  for (const limit of [3, 10]) {
    const found = index.search(text, { limit });
    expect(found).toHaveLength(Math.min(limit, expected.length));
    const scores = new Map(expected.map(({ id, score }) => [id, score]));
    // Scores that are equal but for rounding may be in any order.
    for (const [at, { id, score }] of found.entries()) {
      expect(score).toBeCloseTo(expected[at]?.score ?? 0, 8);
      expect(score).toBeCloseTo(scores.get(id) ?? 0, 8);
    }
  }
}

test('the index ranks tools exactly as a plain computation over all tools does', () => {
  fc.assert(
    fc.property(catalog, fc.array(query, { minLength: 3, maxLength: 3 }), (list, queries) => {
      const documents = toDocuments(list);
      const index = createToolIndex();
      for (const document of documents) index.set(document);
      for (const one of queries) expectSameRanking(index, documents, one);
    }),
    { numRuns: 60 },
  );
});

test('after most tools were replaced by tools with other words, the index ranks as if it had never had the old ones', () => {
  const index = createToolIndex();
  const old = Array.from({ length: 300 }, (_, at) => ({
    server: at % 6,
    name: `old_calendar${at}`,
    description: 'merged',
  }));
  for (const document of toDocuments(old)) index.set(document);
  const documents = toDocuments(
    Array.from({ length: 40 }, (_, at) => ({
      server: at % 6,
      name: `${vocabulary[at % 20]} ${vocabulary[(at * 7) % 19]}`,
      description: `${vocabulary[(at * 3) % 17]} ${vocabulary[(at * 5) % 23]}`,
    })),
  );
  for (const { id } of toDocuments(old)) index.delete(id);
  for (const document of documents) index.set(document);
  for (const one of ['create issue service', 'merged calendar', 'mergd calendr gateway', 'old', 'save report today'])
    expectSameRanking(index, documents, one);
});
