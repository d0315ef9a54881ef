import { expect, test } from 'vitest';
import type { JsonObject } from '../../contract/json.ts';
import { listAll, listSources } from './discovery.ts';

const tool = (name: string, description = 'Does something.'): JsonObject => ({
  name,
  description,
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
});

/** A server with these pages of tools. */
function serve(...pages: readonly (readonly unknown[])[]) {
  return async (_method: string, { cursor = '0' }: JsonObject): Promise<JsonObject> => {
    const next = Number(cursor) + 1;
    // Parsed anew for each request, as an answer is.
    const tools = JSON.parse(JSON.stringify(pages[Number(cursor)] ?? []));
    return next < pages.length ? { tools, nextCursor: String(next) } : { tools };
  };
}

test('items that did not change keep their objects when a list is read again', async () => {
  const first = await listAll(listSources.tools, serve([tool('a'), tool('b')], [tool('c')]));
  const request = serve([tool('a'), tool('b', 'Does something else.')], [tool('c'), tool('d')]);
  const { items } = await listAll(listSources.tools, request, { before: first.items });
  expect(items).toEqual([tool('a'), tool('b', 'Does something else.'), tool('c'), tool('d')]);
  expect(items[0]).toBe(first.items[0]);
  expect(items[1]).not.toBe(first.items[1]);
  expect(items[2]).toBe(first.items[2]);
});

test('items that moved in a list are read as the server sent them', async () => {
  const first = await listAll(listSources.tools, serve([tool('a'), tool('b')]));
  const { items, rejected } = await listAll(listSources.tools, serve([{ name: '' }, tool('b'), tool('a')]), {
    before: first.items,
  });
  expect(items).toEqual([tool('b'), tool('a')]);
  expect(rejected).toEqual([{ name: '(without a name)', reason: 'it has no name' }]);
});

test('a list of several thousand items is read without holding up other work', async () => {
  const tools = Array.from({ length: 5_000 }, (_, at) => tool(`tool_${at}`));
  const answer = { tools };
  let turns = 0;
  let isReading = true;
  const count = () => {
    turns++;
    if (isReading) setImmediate(count);
  };
  setImmediate(count);
  const { items } = await listAll(listSources.tools, async () => answer);
  isReading = false;
  expect(items).toHaveLength(5_000);
  expect(turns).toBeGreaterThan(3);
});
