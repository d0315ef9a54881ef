import { expect, test } from 'vitest';
import { createToolSearch, type SearchableTools, type SearchedTool } from './search-tools.ts';

const tool = (name: string, description: string): SearchedTool => ({
  server: 'fixture',
  originalName: name,
  definition: { name, description, inputSchema: { type: 'object' } },
});

/** Tools that count how often they are read. */
function searchable(list: readonly SearchedTool[]): SearchableTools & { reads: number } {
  const byName = new Map(list.map((one) => [one.originalName, one]));
  const tools = {
    byName,
    reads: 0,
    define: (name: string) => byName.get(name)?.definition,
    describeServer() {
      tools.reads++;
      return undefined;
    },
  };
  return tools;
}

const namesIn = ({ structuredContent }: Awaited<ReturnType<ReturnType<typeof createToolSearch>['search']>>) =>
  (structuredContent as { tools: { name: string }[] }).tools.map(({ name }) => name);

test('a search reads tools that did not change only once', async () => {
  const search = createToolSearch();
  const tools = searchable([tool('add', 'Add a note'), tool('echo', 'Repeat a text')]);
  expect(namesIn(await search.search(tools, { query: 'note' }))).toEqual(['add']);
  expect(namesIn(await search.search(tools, { query: 'text' }))).toEqual(['echo']);
  expect(tools.reads).toBe(2);
});

test('a search follows tools that were added, changed and removed', async () => {
  const search = createToolSearch();
  const [add, echo] = [tool('add', 'Add a note'), tool('echo', 'Repeat a text')];
  await search.search(searchable([add, echo]), { query: 'note' });
  const changed = searchable([tool('echo', 'Repeat a melody'), tool('draw', 'Draw a picture')]);
  expect(namesIn(await search.search(changed, { query: 'note' }))).toEqual([]);
  expect(namesIn(await search.search(changed, { query: 'melody' }))).toEqual(['echo']);
  expect(namesIn(await search.search(changed, { query: 'picture' }))).toEqual(['draw']);
});
