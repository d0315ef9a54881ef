import { expect, test } from 'vitest';
import { openStorage } from '../../../../gateway/core/storage/open-storage.ts';
import { openGatewayEmbeddings, storeVectors } from '../../../../gateway/features/search/open-gateway-embeddings.ts';
import type { Embed } from '../../../kernel/embed.ts';
import { createLog, type LogEntry } from '../../../kernel/log.ts';
import { createToolSearch, type SearchableTools } from '../search-tools.ts';
import { defaultEmbeddings, openEmbeddings } from './open-embeddings.ts';

function toolsOf(descriptions: Readonly<Record<string, string>>): SearchableTools {
  const byName = new Map(
    Object.entries(descriptions).map(([name, description]) => [
      name,
      { server: 'server', originalName: name, definition: { name, description, inputSchema: {} } },
    ]),
  );
  return { byName, define: (name) => byName.get(name)?.definition, describeServer: () => undefined };
}

const namesOf = (result: object) =>
  (result as { structuredContent: { tools: { name: string }[] } }).structuredContent.tools.map(({ name }) => name);

test('a search finds a tool by its meaning with the model of a package, as soon as the vectors are computed', async () => {
  await using embeddings = openEmbeddings(defaultEmbeddings);
  let requests = 0;
  const embedded: string[] = [];
  const search = createToolSearch({
    embed: (texts) => {
      requests++;
      embedded.push(...texts);
      return embeddings.embed(texts);
    },
  });
  const tools = toolsOf({ purge_inbox: 'Removes spam mails.', book_table: 'Reserves seats in a restaurant.' });
  // Until then, keywords alone decide.
  expect(namesOf(await search.search(tools, { query: 'somewhere to eat dinner' }))).toEqual([]);
  await expect
    .poll(async () => namesOf(await search.search(tools, { query: 'somewhere to eat dinner' }))[0], {
      timeout: 120_000,
    })
    .toBe('book_table');
  // A changed catalog needs the vectors of new tools only.
  const [before, count] = [requests, embedded.length];
  const more = toolsOf({
    purge_inbox: 'Removes spam mails.',
    book_table: 'Reserves seats in a restaurant.',
    play: 'Plays a song.',
  });
  await expect
    .poll(async () => namesOf(await search.search(more, { query: 'listen to music' }))[0], { timeout: 120_000 })
    .toBe('play');
  expect(requests).toBeGreaterThan(before);
  expect(embedded.slice(count).filter((text) => text.includes('Reserves'))).toEqual([]);
});

test('after a restart, only the vectors of new tools are computed, and they rank the tools as before', async () => {
  const store = (await openStorage({ kind: 'memory' })).vectors;
  await using embeddings = openEmbeddings(defaultEmbeddings);
  const tools = { purge_inbox: 'Removes spam mails.', book_table: 'Reserves seats in a restaurant.' };
  /** Starts a search with nothing in memory; returns its first answer by meaning and the texts of tools that it computed. */
  async function start(descriptions: Readonly<Record<string, string>>) {
    const computed: string[] = [];
    const compute: Embed = (texts, kind) => {
      if (kind === 'tool') computed.push(...texts);
      return embeddings.embed(texts);
    };
    const fail = (cause: unknown) => expect.unreachable(String(cause));
    const embed = storeVectors(compute, { store, model: embeddings.model, onFailure: fail });
    const search = createToolSearch({ embed });
    const ask = () => search.search(toolsOf(descriptions), { query: 'somewhere to eat dinner' });
    await expect.poll(async () => namesOf(await ask())[0], { timeout: 120_000 }).toBe('book_table');
    return { computed, answer: await ask() };
  }
  const first = await start(tools);
  expect(first.computed).toHaveLength(2);
  const second = await start(tools);
  expect(second).toEqual({ computed: [], answer: first.answer });
  const third = await start({ ...tools, play: 'Plays a song.' });
  expect(third.computed).toEqual([expect.stringContaining('Plays a song.')]);
});

test('a store that fails is reported, and the vectors are computed', async () => {
  const failures: unknown[] = [];
  const down = new Error('no database');
  const embed = storeVectors(async (texts) => texts.map(({ length }) => [length]), {
    store: { getAll: () => Promise.reject(down), putAll: () => Promise.reject(down) },
    model: 'm@1',
    onFailure: (cause) => failures.push(cause),
  });
  expect(await embed(['a', 'bb'], 'tool')).toEqual([Float32Array.of(1), Float32Array.of(2)]);
  expect(failures).toEqual([down, down]);
});

test('vectors of queries, and of another version of a model, are not taken from the store', async () => {
  const store = (await openStorage({ kind: 'memory' })).vectors;
  const seen: string[] = [];
  const embedWith = (model: string) =>
    storeVectors(
      async (texts) => {
        seen.push(...texts.map((text) => `${model} ${text}`));
        return texts.map(({ length }) => [length]);
      },
      { store, model, onFailure: () => {} },
    );
  await embedWith('m@1')(['a'], 'tool');
  await embedWith('m@1')(['a'], 'tool');
  await embedWith('m@2')(['a'], 'tool');
  await embedWith('m@2')(['secret'], 'query');
  await embedWith('m@2')(['secret'], 'query');
  expect(seen).toEqual(['m@1 a', 'm@2 a', 'm@2 secret', 'm@2 secret']);
});

test('the log says once that a package for embeddings is missing, or that it cannot compute them', async () => {
  const entries: LogEntry[] = [];
  const log = createLog((entry) => entries.push(entry));
  const ending = new AbortController();
  const options = { log, storage: { vectors: (await openStorage({ kind: 'memory' })).vectors }, signal: ending.signal };
  expect(openGatewayEmbeddings(undefined, options)).toBeUndefined();
  expect(openGatewayEmbeddings('no-such-package', options)).toBeUndefined();
  expect(entries).toMatchObject([{ event: 'search.embeddings-missing', level: 'warning' }]);
  // A package without a function `embed`.
  const embed = openGatewayEmbeddings('zod', options);
  for (let round = 0; round < 2; round++)
    await expect(embed?.(['text'])).rejects.toThrow(/zod could not compute embeddings: .*no function/);
  expect(entries.map(({ event }) => event)).toEqual(['search.embeddings-missing', 'search.embeddings-failed']);
  ending.abort();
});
