import { describe, expect, test } from 'vitest';
import {
  createToolSearch,
  describeSearchTools,
  listServers,
  type SearchableTools,
  type SearchedTool,
} from './search-tools.ts';

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

const textOf = (result: Awaited<ReturnType<ReturnType<typeof createToolSearch>['search']>>) =>
  String((result.content as { text: string }[])[0]?.text);

test('results that match far less than the best are left out', async () => {
  const search = createToolSearch();
  const tools = searchable([
    tool('charge_customer', 'Charges a customer for an invoice'),
    ...['a', 'b', 'c', 'd', 'e'].map((name) => tool(`${name}_plan`, 'Shows a plan to a customer')),
  ]);
  expect(namesIn(await search.search(tools, { query: 'charge customer invoice' }))).toEqual(['charge_customer']);
  expect(namesIn(await search.search(tools, { query: 'customer' }))).toHaveLength(6);
});

test('an unknown server is answered with the nearest and all servers, and case does not matter', async () => {
  const search = createToolSearch();
  const tools = searchable([tool('add', 'Add a note'), { ...tool('send', 'Send a mail'), server: 'mailbox' }]);
  const unknown = await search.search(tools, { query: 'note', server: 'fixtrue' });
  expect(unknown.isError).toBe(true);
  expect(textOf(unknown)).toContain('Unknown server: fixtrue. Did you mean fixture? Servers: fixture, mailbox.');
  expect(namesIn(await search.search(tools, { query: 'note', server: 'Fixture' }))).toEqual(['add']);
});

test('a search without results names similar words and the servers', async () => {
  const search = createToolSearch();
  const tools = searchable([tool('create_invoice', 'Bills a customer')]);
  const { structuredContent } = await search.search(tools, { query: 'zzzz qqqq' });
  expect(structuredContent).toMatchObject({ tools: [], hint: 'No tool matches. Servers: fixture. Try other words.' });
});

test('the arguments of call_tool may be a text of JSON, and flat ones are explained with the corrected call', async () => {
  const search = createToolSearch();
  const tools = searchable([tool('add', 'Add a note')]);
  const read = async (args: unknown) => {
    const call = await search.readCall(tools, args);
    return 'problem' in call ? textOf(call.problem) : call;
  };
  const call = { name: 'add', arguments: { text: 'x', n: 1 } };
  expect(await read(call)).toEqual(call);
  expect(await read({ name: 'add', arguments: '{"text":"x","n":1}' })).toEqual(call);
  expect(await read({ name: 'add', arguments: '' })).toEqual({ name: 'add', arguments: {} });
  expect(await read({ name: 'add' })).toEqual({ name: 'add', arguments: {} });
  expect(await read({ name: 'add', text: 'x', n: 1 })).toBe(
    `call_tool: The arguments of the tool belong into "arguments", not beside it. Corrected call: ${JSON.stringify(call)}`,
  );
  expect(await read({ name: 'add', arguments: '{"n":1}', text: 'x' })).toContain(JSON.stringify(call));
  expect(await read({ name: 'add', args: { text: 'x', n: 1 } })).toContain(JSON.stringify(call));
  for (const wrong of ['not json', '[1]', [1], 7])
    expect(await read({ name: 'add', arguments: wrong })).toContain('belong into "arguments" as an object');
});

test('the servers are listed by name, with their purpose, within a budget', () => {
  const servers = [{ name: 'mail', purpose: 'Sends mail. And more.' }, { name: 'files' }];
  expect(listServers(servers)).toBe('- files\n- mail: Sends mail.');
  expect(listServers([...servers].reverse())).toBe(listServers(servers));
  const many = Array.from({ length: 5_000 }, (_, n) => ({ name: `server-${n}`, purpose: 'Does something useful.' }));
  expect(listServers(many)).toMatch(/^server-0, server-1, .* and others$/);
  expect(listServers(many).length).toBeLessThan(8_000);
  const [found] = describeSearchTools(servers);
  expect(found?.description).toContain('Servers:\n- files\n- mail: Sends mail.');
});

test('a prepared index needs no further reads at the first search', async () => {
  const search = createToolSearch();
  const tools = searchable([tool('add', 'Add a note')]);
  await search.prepare(tools);
  expect(tools.reads).toBe(1);
  await search.search(tools, { query: 'note' });
  expect(tools.reads).toBe(1);
});

describe('with thousands of tools', () => {
  const named = (count: number): SearchableTools => {
    const tools = Array.from(
      { length: count },
      (_, at) => [`tool_${at}`, { originalName: `tool_${at}`, definition: {} }] as const,
    );
    const byName = new Map<string, SearchedTool>(tools);
    return { byName, define: (name) => byName.get(name)?.definition, describeServer: () => undefined };
  };

  /** How often other work gets its turn while this work runs. */
  async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
    let turns = 0;
    let next = setImmediate(function count() {
      turns++;
      next = setImmediate(count);
    });
    await work();
    clearImmediate(next);
    return turns;
  }

  test('other work is done while tools are added and removed, and while a similar name is looked for', async () => {
    const search = createToolSearch();
    const many = named(4_000);
    const few = named(10);
    expect(await turnsDuring(() => search.prepare(many))).toBeGreaterThanOrEqual(4);
    expect(await turnsDuring(() => search.readCall(many, { name: 'tol_17' }))).toBeGreaterThanOrEqual(4);
    // A slice has 1 000 steps at most, on a fast machine too: four slices remove the tools, and three drop the entries of 3 991 words,
    // since numbers of one digit have none.
    expect(await turnsDuring(() => search.prepare(few))).toBeGreaterThanOrEqual(4 + 3);
    expect(await turnsDuring(() => search.search(few, { query: 'tool' }))).toBe(0);
  });
});
