import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { NativeServer } from '../../packages/contract/settings/server-schema.ts';
import { definitionHash } from '../../packages/toolwharf/catalog/definition-hash.ts';
import type { PinStore } from '../../packages/toolwharf/catalog/pins.ts';
import { toServerAddress } from '../../packages/toolwharf/connections/protocol-cache.ts';
import type { ToolDefinition } from '../../packages/toolwharf/kernel/tool.ts';
import { createMemoryPins } from '../../packages/toolwharf/storage/memory/memory-stores.ts';
import { fixture, type Program, tempDir } from '../support/fixtures.ts';
import { openToolbox } from '../support/toolbox.ts';
import { waitFor } from '../support/wait-for.ts';

const linesOf = async (file: string) => (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean);

const lazy = (program: Program, settings: object = {}) =>
  ({ ...program, lifecycle: 'lazy', ...settings }) as unknown as NativeServer;

/** Servers whose tools are pinned as those of the first one, which alone has run. */
async function pinLike(servers: Readonly<Record<string, NativeServer>>, pins: PinStore): Promise<void> {
  const [name = '', first] = Object.entries(servers)[0] ?? [];
  await using toolbox = await openToolbox({ servers: { [name]: first as NativeServer } }, { pins });
  const known = await pins.readAll(toServerAddress(toolbox.config.servers[0] as never));
  await using others = await openToolbox({ servers }, { connect: false });
  for (const spec of others.config.servers)
    await pins.setAll(known.map((pin) => ({ ...pin, serverAddress: toServerAddress(spec) })));
}

describe('lazy servers', () => {
  test('a lazy server that was never seen starts once to list its tools, sleeps, and stays asleep after a restart', async () => {
    await using dir = await tempDir();
    const started = dir.file('started');
    const pins = createMemoryPins();
    const config = { servers: { books: lazy(fixture('ledger', { START_FILE: started }), { idleAfter: '1s' }) } };
    {
      await using first = await openToolbox(config, { pins });
      await waitFor(() => first.servers.get('books')?.status.state === 'sleeping');
      expect(first.tools.map(({ originalName }) => originalName)).toEqual(['echo', 'book']);
    }
    await using second = await openToolbox(config, { pins });
    expect(second.servers.get('books')).toMatchObject({
      status: { state: 'sleeping' },
      offers: { tools: { count: 2, stale: false } },
    });
    expect(second.tools.map(({ originalName }) => originalName).sort()).toEqual(['book', 'echo']);
    expect(await linesOf(started)).toHaveLength(1);
    const progress: unknown[] = [];
    const call = second.start(
      'mcp_books_echo',
      { text: 'ahoy' },
      { host: { onProgress: ({ message }) => progress.push(message) } },
    );
    expect(await call.result).toMatchObject({ text: 'ahoy' });
    expect(progress).toEqual(["Starting server 'books' …"]);
    expect(await linesOf(started)).toHaveLength(2);
  });

  test('a toolbox with a hundred lazy servers starts none of them, and one call starts one process', async () => {
    await using dir = await tempDir();
    const started = dir.file('started');
    const program = fixture('ledger', { START_FILE: started });
    const servers = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [`s${at}`, lazy({ ...program, args: [...program.args, `${at}`] })]),
    );
    const pins = createMemoryPins();
    await pinLike(servers, pins);
    expect(await linesOf(started)).toHaveLength(1);
    await using toolbox = await openToolbox({ servers }, { pins });
    expect(toolbox.tools).toHaveLength(200);
    expect(new Set(toolbox.servers.list().map(({ status }) => status.state))).toEqual(new Set(['sleeping']));
    expect(await toolbox.call('mcp_s42_echo', { text: 'ahoy' })).toMatchObject({ text: 'ahoy' });
    expect(await linesOf(started)).toHaveLength(2);
  });

  test('a tool that changed while its server slept is not called, and waits for a person as ever', async () => {
    await using dir = await tempDir();
    const [ledger, gate] = [dir.file('ledger'), dir.file('gate')];
    await writeFile(gate, '');
    const config = { servers: { books: lazy(fixture('ledger')) } };
    const pins = createMemoryPins();
    await pinLike(config.servers, pins);
    const all = await pins.list();
    for (const pin of all.filter(({ tool }) => tool === 'book')) {
      const definition = { ...(pin.definition as ToolDefinition), description: 'Before' };
      await pins.setAll([{ ...pin, definition, hash: definitionHash(definition) }]);
    }
    await using toolbox = await openToolbox(config, { pins });
    expect(toolbox.tool('mcp_books_book')?.description).toBe('Before');
    expect(await toolbox.call('mcp_books_book', { ledger, gate })).toMatchObject({ failure: { code: 'TOOL_CHANGED' } });
    expect(await linesOf(ledger)).toEqual([]);
    expect(toolbox.catalog.find('mcp_books_book')).toMatchObject({ changed: 'ask' });
    expect(toolbox.servers.get('books')?.status.state).toBe('connected');
  });

  test('a call fails with the reason if the server that sleeps cannot start', async () => {
    const pins = createMemoryPins();
    const broken = lazy(fixture('crash-on-start'));
    await pinLike({ good: lazy(fixture('ledger')), books: broken }, pins);
    await using toolbox = await openToolbox({ servers: { books: broken } }, { pins });
    const result = await toolbox.call('mcp_books_echo', { text: 'ahoy' });
    expect(result).toMatchObject({ failure: { code: 'SERVER_DISCONNECTED' } });
    expect(result.text).toMatch(/exit/);
  });

  test('a required server starts even if it is lazy, and a reload changes the lifecycle of one server alone', async () => {
    await using dir = await tempDir();
    const started = { one: dir.file('one'), other: dir.file('other') };
    const file = dir.file('toolwharf.json');
    const config = (lifecycle: string) =>
      JSON.stringify({
        servers: {
          one: { ...fixture('ledger', { START_FILE: started.one }), lifecycle, required: true },
          other: lazy(fixture('ledger', { START_FILE: started.other })),
        },
      });
    await writeFile(file, config('lazy'));
    await using toolbox = await openToolbox(file, { watch: true });
    expect(toolbox.servers.list().map(({ status }) => status.state)).toEqual(['connected', 'connected']);
    const applied = Promise.withResolvers<unknown>();
    toolbox.on('config.applied', applied.resolve);
    await writeFile(file, config('eager'));
    expect(await applied.promise).toMatchObject({ added: [], removed: [], changed: ['one'] });
    expect(toolbox.servers.get('one')?.status.state).toBe('connected');
    expect([await linesOf(started.one), await linesOf(started.other)]).toMatchObject([{ length: 2 }, { length: 1 }]);
  });
});
