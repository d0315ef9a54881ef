import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../contract/json.ts';
import { parseJson, toJsonText } from '../kernel/exact-json.ts';
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

describe('the texts of items', () => {
  const read = (text: string, before?: readonly JsonObject[]) =>
    listAll(listSources.tools, async () => parseJson(text) as JsonObject, { before });
  const list = (schema: string) => `{"tools":[{"name":"a"},{"name":"b","inputSchema":${schema},"x-one":1.0}]}`;

  test('an item keeps the texts of members that JavaScript would write otherwise, also in a copy', async () => {
    const schema = '{"type":"object", "properties":{"2":{"maximum":9223372036854775807},"1":{}}}';
    const { items } = await read(list(schema));
    expect(items[0]?.inputSchema).toEqual(JSON.parse(schema));
    expect(toJsonText({ tools: items.map((item) => ({ ...item, name: 'c' })) })).toBe(
      `{"tools":[{"name":"c","inputSchema":${schema},"x-one":1.0}]}`,
    );
  });

  test('an item whose last digit changed is another item', async () => {
    const first = await read(list('{"maximum":9007199254740993}'));
    const same = await read(list('{"maximum":9007199254740993}'), first.items);
    expect(same.items[0]).toBe(first.items[0]);
    const changed = await read(list('{"maximum":9007199254740992}'), first.items);
    expect(changed.items[0]).not.toBe(first.items[0]);
  });

  test('a name that occurs twice in a definition cannot show clients another definition than the one that is judged', async () => {
    const twice = '{"maximum":9007199254740993,"description":"bad","description":"good"}';
    const { items } = await read(list(twice));
    expect(toJsonText(items[0])).toContain('{"maximum":9007199254740993,"description":"good"}');
    const lists = `{"tools":[{"name":"b","inputSchema":{"maximum":9007199254740993}}],${list('{"maximum":1.0}').slice(1)}`;
    expect(toJsonText((await read(lists)).items[0])).toContain('"maximum":1');
    const members = `{"tools":[{"name":"b","inputSchema":{"maximum":9007199254740993},"inputSchema":{"maximum":2}}]}`;
    expect(toJsonText((await read(members)).items[0])).toContain('"inputSchema":{"maximum":2}');
  });
});
