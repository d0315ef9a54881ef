import { expect, test } from 'vitest';
import type { Embed } from '../../kernel/embed.ts';
import { createToolVectors } from './tool-vectors.ts';

/** Vectors that count letters: similar texts have similar vectors. */
const countLetters: Embed = async (texts) =>
  texts.map((text) =>
    Array.from({ length: 26 }, (_, at) => text.toLowerCase().split(String.fromCharCode(97 + at)).length - 1),
  );

async function ready(vectors: ReturnType<typeof createToolVectors>, query: string) {
  return expect.poll(() => vectors.embedQuery(query), { timeout: 120_000 }).toBeDefined();
}

test('tools are compared with a query as soon as all of them have vectors', async () => {
  const vectors = createToolVectors(countLetters);
  expect(await vectors.embedQuery('zzz')).toBeUndefined();
  vectors.set({ id: 'a', server: 's', name: 'zzz', description: 'zzzz' });
  vectors.set({ id: 'b', server: 's', name: 'qqq', description: 'qqqq' });
  expect(vectors.compare(new Float32Array(26))).toBeUndefined();
  await ready(vectors, 'zzz');
  const found = vectors.compare((await vectors.embedQuery('zzz')) ?? new Float32Array(26));
  expect(found?.get('a')).toBeGreaterThan(found?.get('b') ?? Number.POSITIVE_INFINITY);
  vectors.delete('a');
  expect([...(vectors.compare((await vectors.embedQuery('zzz')) ?? new Float32Array(26))?.keys() ?? [])]).toEqual([
    'b',
  ]);
});

test('a text is embedded once, also for several tools, profiles and changes', async () => {
  const embedded: string[] = [];
  const embed: Embed = (texts) => {
    embedded.push(...texts);
    return countLetters(texts);
  };
  const tool = { id: 'a', server: 's', name: 'list', description: 'Lists all.' };
  for (let profile = 0; profile < 2; profile++) {
    const vectors = createToolVectors(embed);
    vectors.set(tool);
    vectors.set({ ...tool, id: 'b' });
    await ready(vectors, 'query');
    vectors.set({ ...tool, inputSchema: {} });
    await ready(vectors, 'query');
  }
  const texts = embedded.filter((text) => text !== 'query');
  expect(new Set(texts).size).toBe(texts.length);
});

test('a failure of the embedder is not a failure of the search, and is not repeated at once', async () => {
  let calls = 0;
  const vectors = createToolVectors(async () => {
    calls++;
    throw new Error('no model');
  });
  vectors.set({ id: 'a', server: 's', name: 'list' });
  for (let round = 0; round < 3; round++) expect(await vectors.embedQuery('list')).toBeUndefined();
  expect(calls).toBe(1);
});

test('other work runs while the vectors of many tools are read, even if each is there at once', async () => {
  let turns = 0;
  const turnsAtRequest: number[] = [];
  const vectors = createToolVectors((texts) => {
    turnsAtRequest.push(turns);
    return countLetters(texts);
  });
  for (let at = 0; at < 40; at++) vectors.set({ id: `t${at}`, server: 's', name: `tool ${at}` });
  const counting = new AbortController();
  const count = () => {
    turns++;
    if (!counting.signal.aborted) setImmediate(count);
  };
  setImmediate(count);
  await ready(vectors, 'query');
  counting.abort();
  // The last request is that of the query.
  const ofTools = turnsAtRequest.slice(0, 10);
  expect(new Set(ofTools).size).toBe(ofTools.length);
});
