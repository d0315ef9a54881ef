import { afterEach, expect, test, vi } from 'vitest';
import type { ServerSpec } from '../../contract/settings/config.ts';
import { parseServer } from '../config/open-config.ts';
import { systemClock } from '../kernel/clock.ts';
import { silentLog } from '../kernel/log.ts';
import type { ToolDefinition } from '../kernel/tool.ts';
import { type CatalogDifference, createCatalog } from './catalog.ts';
import type { Pin, PinStore } from './pins.ts';

const spec = (name: string) => parseServer(name, { url: `https://${name}.example/mcp` });
const tools = (count: number, description = 'A tool.'): ToolDefinition[] =>
  Array.from({ length: count }, (_, at) => ({
    name: `tool_${at}`,
    description,
    inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  }));

afterEach(() => vi.restoreAllMocks());

/** A catalog whose store counts its statements. */
function setUp(...specs: ServerSpec[]) {
  const stored = new Map<string, Pin>();
  const statements: string[] = [];
  const pins: PinStore = {
    async get(_address, tool) {
      statements.push('get');
      return stored.get(tool);
    },
    async readHashes() {
      statements.push('readHashes');
      return stored;
    },
    readAll: async () => [...stored.values()],
    async setAll(all) {
      statements.push(`setAll ${all.length}`);
      for (const pin of all) stored.set(pin.tool, pin);
    },
    async setSuffixed() {
      statements.push('setSuffixed');
    },
    listHashes: async () => new Map(),
    list: async () => [...stored.values()],
  };
  const changes: CatalogDifference[] = [];
  const catalog = createCatalog({
    naming: () => 'mcp',
    servers: () => specs,
    toolSettings: () => ({ configs: [], defaultTool: { maxInstances: 1, timeoutMs: 1_000 } }),
    dialect: () => 'native',
    pins,
    clock: systemClock,
    log: silentLog,
    onChanged: (difference) => changes.push(difference),
  });
  const take = () => statements.splice(0);
  return { catalog, changes, takeStatements: take };
}

/** Counts the turns of the event loop while `work` runs. */
async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let timer = setImmediate(function count() {
    turns++;
    timer = setImmediate(count);
  });
  await work();
  clearImmediate(timer);
  return turns;
}

test('ten thousand tools are registered in slices, with one read and one write of pins', async () => {
  const big = spec('big');
  const { catalog, changes, takeStatements } = setUp(big);
  await catalog.settleNames();
  // While time stands still, a slice ends only after 1 000 tools.
  vi.spyOn(performance, 'now').mockReturnValue(0);
  const turns = await countTurns(() => catalog.setServer(big, tools(10_000)));
  // Registering, logging, hashing, claiming names, naming, indexing and comparing take ten slices each.
  expect(turns).toBeGreaterThanOrEqual(70);
  expect(takeStatements()).toEqual(['readHashes', 'setAll 10000']);
  expect(catalog.entries).toHaveLength(10_000);
  expect(changes.map(({ added }) => added.length)).toEqual([10_000]);
});

test('a refresh without changes writes nothing, keeps the entries and announces nothing', async () => {
  const big = spec('big');
  const { catalog, changes, takeStatements } = setUp(big);
  await catalog.setServer(big, tools(2_000));
  const before = catalog.entries;
  takeStatements();
  await catalog.setServer(big, tools(2_000));
  expect(takeStatements()).toEqual(['readHashes']);
  expect(catalog.entries).toBe(before);
  expect(changes).toHaveLength(1);
});

test('a refresh with one changed tool reads one pinned definition', async () => {
  const big = spec('big');
  const { catalog, takeStatements } = setUp(big);
  await catalog.setServer(big, tools(2_000));
  takeStatements();
  const [first, ...rest] = tools(2_000);
  await catalog.setServer(big, [{ ...(first as ToolDefinition), description: 'Another tool.' }, ...rest]);
  expect(takeStatements()).toEqual(['readHashes', 'get']);
  expect(catalog.find('mcp_big_tool_0')).toMatchObject({ changed: 'ask', changes: [{ path: '/description' }] });
  expect(await catalog.accept('mcp_big_tool_0')).toBe(true);
  expect(takeStatements()).toEqual(['setAll 1']);
  expect(catalog.find('mcp_big_tool_0')?.changed).toBeUndefined();
});

test('the tools of a removed server disappear at once, even while many tools are being named', async () => {
  const [small, big] = [spec('small'), spec('big')];
  const { catalog } = setUp(small, big);
  await catalog.setServer(small, tools(1));
  const registering = catalog.setServer(big, tools(5_000));
  const removing = catalog.removeServer('small');
  expect(catalog.find('mcp_small_tool_0')).toBeUndefined();
  await Promise.all([registering, removing]);
  expect(catalog.find('mcp_small_tool_0')).toBeUndefined();
  expect(catalog.find('mcp_big_tool_4999')).toBeDefined();
});

test('a list that was read before its server was removed does not bring the tools back', async () => {
  const big = spec('big');
  const { catalog } = setUp(big);
  const registering = catalog.setServer(big, tools(2_000));
  await catalog.removeServer('big');
  await registering;
  expect(catalog.entries).toEqual([]);
});
