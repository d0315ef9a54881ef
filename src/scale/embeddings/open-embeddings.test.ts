import { expect, test } from 'vitest';
import { createLog, type LogEntry } from '../../kernel/log.ts';
import { createToolSearch, type SearchableTools } from '../search/search-tools.ts';
import { defaultEmbeddings, openEmbeddings } from './open-embeddings.ts';
import { openGatewayEmbeddings } from './open-gateway-embeddings.ts';

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

test('the log says once that a package for embeddings is missing, or that it cannot compute them', async () => {
  const entries: LogEntry[] = [];
  const log = createLog((entry) => entries.push(entry));
  const ending = new AbortController();
  expect(openGatewayEmbeddings(undefined, log, ending.signal)).toBeUndefined();
  expect(openGatewayEmbeddings('no-such-package', log, ending.signal)).toBeUndefined();
  expect(entries).toMatchObject([{ event: 'search.embeddings-missing', level: 'warning' }]);
  // A package without a function `embed`.
  const embed = openGatewayEmbeddings('zod', log, ending.signal);
  for (let round = 0; round < 2; round++)
    await expect(embed?.(['text'])).rejects.toThrow(/zod could not compute embeddings: .*no function/);
  expect(entries.map(({ event }) => event)).toEqual(['search.embeddings-missing', 'search.embeddings-failed']);
  ending.abort();
});
