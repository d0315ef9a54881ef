import { writeFile } from 'node:fs/promises';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { ClientCapabilities } from '@modelcontextprotocol/sdk/types.js';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../packages/contract/json.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { connectMcp, usualAnswers } from '../support/mcp-client.ts';
import { serveMcp } from '../support/serve-mcp.ts';

const inputSchema = { type: 'object' };

/** A server that lists these items, beside a usual one. */
async function serveLists(lists: JsonObject, era: 'legacy' | 'modern' = 'modern') {
  const directory = await tempDir();
  const path = directory.file('lists.json');
  await writeFile(path, JSON.stringify(lists));
  const served = await serveMcp({
    usual: fixture('legacy'),
    listed: fixture('declared-lists', { LISTS: path, ERA: era, NAME: 'listed' }),
  });
  return {
    url: served.url,
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** The client of SDK 1.x, which knows the legacy era only and checks all results. */
async function connectOld(url: string, capabilities: ClientCapabilities = {}) {
  const client = new OldClient({ name: 'old', version: '1.0.0' }, { capabilities });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as never);
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

describe('a tool whose output need not be an object', () => {
  const schemas: Record<string, unknown> = {
    list: { type: 'array', items: { type: 'string' } },
    word: { type: 'string' },
    either: { anyOf: [{ type: 'object', properties: { a: { type: 'number' } } }, { type: 'null' }] },
    tree: { $ref: '#/$defs/node', $defs: { node: { type: 'array', items: { $ref: '#/$defs/node' } } } },
    anything: true,
    based: {
      $id: 'https://example.com/based',
      type: 'array',
      items: { $ref: '#/$defs/one' },
      $defs: { one: { type: 'number' } },
    },
  };
  const outputs: Record<string, unknown> = {
    list: ['a', 'b'],
    word: 'hello',
    either: { a: 1 },
    tree: [[], [[]]],
    anything: 7,
    based: [1],
  };
  let lists: JsonObject;
  beforeAll(() => {
    lists = {
      tools: Object.entries(schemas).map(([name, outputSchema]) => ({ name, inputSchema, outputSchema })),
      results: {
        ...Object.fromEntries(
          Object.entries(outputs).map(([name, output]) => [name, { content: [], structuredContent: output }]),
        ),
      },
    };
  });

  test('output that is no object is listed and called by a client of SDK 1.x under `result`', async () => {
    await using served = await serveLists(lists);
    await using old = await connectOld(served.url);
    const { tools } = await old.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['echo', ...Object.keys(schemas)]));
    for (const [name, output] of Object.entries(outputs)) {
      const result = await old.client.callTool({ name, arguments: {} });
      expect(result.structuredContent, name).toEqual({ result: output });
    }
    const { content } = await old.client.callTool({ name: 'list', arguments: {} });
    expect(content).toEqual([{ type: 'text', text: '["a","b"]' }]);
  });

  test('output that is no object is listed and called by a modern client unchanged', async () => {
    await using served = await serveLists(lists);
    await using modern = await connectMcp(served.url, 'modern');
    const { tools } = await modern.client.listTools();
    expect(tools.find(({ name }) => name === 'list')?.outputSchema).toEqual(schemas.list);
    const result = await modern.client.callTool({ name: 'either', arguments: {} });
    expect(result.structuredContent).toEqual({ a: 1 });
  });

  test('output that is no object is the same on the legacy session of a server that speaks both eras', async () => {
    await using served = await serveMcp({ sdk: fixture('sdk') });
    expect(served.toolbox.servers.status('sdk')?.era).toBe('modern');
    for (const capabilities of [{}, { elicitation: {} }]) {
      await using old = await connectOld(served.url, capabilities);
      await old.client.listTools();
      const { structuredContent, content } = await old.client.callTool({ name: 'split', arguments: { text: 'a b' } });
      expect(structuredContent).toEqual({ result: ['a', 'b'] });
      expect(content).toEqual([{ type: 'text', text: '["a","b"]' }]);
    }
    await using modern = await connectMcp(served.url, 'modern', { answers: usualAnswers });
    await modern.client.listTools();
    const result = await modern.client.callTool({ name: 'split', arguments: { text: 'a b' } });
    expect(result.structuredContent).toEqual(['a', 'b']);
  });

  test('a tool whose output is no object can report an error, and leave out its output', async () => {
    const tools = ['failing', 'silent'].map((name) => ({ name, inputSchema, outputSchema: { type: 'array' } }));
    const failing = { content: [{ type: 'text', text: 'no' }], isError: true, structuredContent: [1] };
    await using served = await serveLists({ tools, results: { failing, silent: { content: [], isError: true } } });
    await using old = await connectOld(served.url);
    await old.client.listTools();
    const failed = await old.client.callTool({ name: 'failing', arguments: {} });
    expect(failed).toMatchObject({ isError: true, structuredContent: { result: [1] } });
    const silent = await old.client.callTool({ name: 'silent', arguments: {} });
    expect(silent.structuredContent).toBeUndefined();
  });

  test('a tool whose output is no object has the same output as a task', async () => {
    await using served = await serveLists(lists);
    await using old = await connectOld(served.url);
    await old.client.listTools();
    const stream = old.client.experimental.tasks.callToolStream({ name: 'word', arguments: {} }, undefined, {
      task: { ttl: 60_000 },
    });
    let result: unknown;
    for await (const message of stream) if (message.type === 'result') result = message.result;
    expect(result).toMatchObject({ structuredContent: { result: 'hello' } });
  });
});

test('members of the wrong type are left out of lists, and the list says so', async () => {
  const tools = [
    {
      name: 'odd',
      title: 7,
      description: null,
      inputSchema: { properties: { yes: true, no: false }, required: ['yes', 3] },
      outputSchema: { type: 'object', properties: { a: { $ref: 'https://example.com/elsewhere' } } },
      annotations: { readOnlyHint: 'yes', destructiveHint: false },
      icons: [{ src: 1 }, { src: 'https://example.com/icon.png', theme: 'pink' }],
      execution: { taskSupport: 'maybe' },
      _meta: [],
      kept: { unknown: true },
    },
  ];
  const resources = [{ uri: 'odd://1', size: 'big', annotations: { priority: 5, audience: ['user', 'cat'] } }];
  const resourceTemplates = [
    { uriTemplate: 'odd://{id}', name: 3, annotations: { lastModified: '2026-02-30T00:00:00Z' } },
  ];
  const prompts = [{ name: 'odd', arguments: [{ name: 'a', required: 'yes' }, { description: 'no name' }] }];
  await using served = await serveLists({ tools, resources, resourceTemplates, prompts });
  await using old = await connectOld(served.url);
  const listed = await old.client.listTools();
  const tool = listed.tools.find(({ name }) => name === 'odd');
  expect(tool).toMatchObject({
    inputSchema: { type: 'object', properties: { yes: {}, no: { not: {} } }, required: ['yes'] },
    annotations: { destructiveHint: false },
    icons: [{ src: 'https://example.com/icon.png' }],
  });
  expect(tool).not.toHaveProperty('outputSchema');
  const omitted = listed._meta?.['toolwharf/omitted'] as { member: string }[];
  expect(omitted.map(({ member }) => member)).toEqual(
    expect.arrayContaining(['title', 'annotations', 'icons', '_meta', 'outputSchema']),
  );
  expect((await old.client.listResources()).resources).toContainEqual(
    expect.objectContaining({ uri: 'odd://1', name: 'odd://1', annotations: { audience: ['user'] } }),
  );
  expect((await old.client.listResourceTemplates()).resourceTemplates).toContainEqual(
    expect.objectContaining({ uriTemplate: 'odd://{id}', name: 'odd://{id}', annotations: {} }),
  );
  const { prompts: listedPrompts } = await old.client.listPrompts();
  expect(listedPrompts.find(({ name }) => name === 'odd')?.arguments).toEqual([{ name: 'a' }]);
});

test('no list has what JSON parsers and clients in other languages reject', async () => {
  const half = 'half of a character: \ud83d';
  let deep: unknown = { type: 'string' };
  for (let level = 0; level < 150; level++) deep = { type: 'array', items: deep };
  const tools = [
    { name: 'half', description: half, inputSchema: { type: 'object', properties: { [half]: { maximum: 1.5 } } } },
    { name: 'deep', inputSchema: { type: 'object', properties: { deep } }, outputSchema: deep },
  ];
  const resources = [{ uri: 'odd://1', name: half, size: 1.5 }];
  for (const era of ['legacy', 'modern'] as const) {
    await using served = await serveLists({ tools, resources }, era);
    await using old = await connectOld(served.url);
    await using modern = await connectMcp(served.url, 'modern');
    for (const { client } of [old, modern] as unknown as { client: OldClient }[]) {
      const listed = await client.listTools();
      const { resources: listedResources } = await client.listResources();
      expect(JSON.stringify([listed, listedResources])).not.toMatch(/\\ud[89a-f]/);
      const [first, second] = ['half', 'deep'].map((name) => listed.tools.find((tool) => tool.name === name));
      expect(first).toMatchObject({
        description: half.toWellFormed(),
        inputSchema: { properties: { [half.toWellFormed()]: { maximum: 1.5 } } },
      });
      expect(second).toMatchObject({ inputSchema: { type: 'object' } });
      expect(second?.inputSchema).not.toHaveProperty('properties');
      expect(second).not.toHaveProperty('outputSchema');
      expect(listedResources.find(({ uri }) => uri === 'odd://1')).not.toHaveProperty('size');
    }
  }
});

test('a structured result over the size limit is an error for clients that check its schema', async () => {
  const tools = [{ name: 'huge', inputSchema, outputSchema: { type: 'object', required: ['text'] } }];
  const text = 'x'.repeat(12 * 1024 * 1024);
  await using served = await serveLists({ tools, results: { huge: { content: [], structuredContent: { text } } } });
  await using old = await connectOld(served.url);
  await using modern = await connectMcp(served.url, 'modern');
  for (const { client } of [old, modern] as unknown as { client: OldClient }[]) {
    await client.listTools();
    const result = await client.callTool({ name: 'huge', arguments: {} });
    expect(result).toMatchObject({ isError: true, _meta: { 'toolwharf/code': 'RESULT_DISCARDED' } });
    expect(JSON.stringify(result.content)).toContain('the whole result is kept under call');
  }
  const { tasks } = old.client.experimental;
  const stream = tasks.callToolStream({ name: 'huge', arguments: {} }, undefined, { task: { ttl: 60_000 } });
  let taskId = '';
  for await (const message of stream) if (message.type === 'taskCreated') taskId = message.task.taskId;
  expect(await tasks.getTask(taskId)).toMatchObject({ status: 'failed' });
});

test('two output schemas with one $id do not break the list', async () => {
  const output = (type: string) => ({ $id: 'https://example.com/same', type: 'object', properties: { a: { type } } });
  const wrapped = (type: string) => ({ $id: 'https://example.com/wrapped', type });
  const tools = [output('string'), output('number'), wrapped('string'), wrapped('number')].map((outputSchema, at) => ({
    name: `tool_${at}`,
    inputSchema,
    outputSchema,
  }));
  await using served = await serveLists({ tools });
  await using old = await connectOld(served.url);
  const listed = (await old.client.listTools()).tools.filter(({ name }) => name.startsWith('tool_'));
  expect(listed.map(({ outputSchema }) => outputSchema !== undefined)).toEqual([true, false, true, false]);
});

test('no list of hostile items breaks a client of SDK 1.x or 2.x', async () => {
  const random = createRandom(20261118);
  const lists = {
    tools: Array.from({ length: 400 }, (_, at) => hostileTool(at, random)),
    resources: Array.from({ length: 150 }, (_, at) => ({ ...hostileItem(random), uri: `fuzz://${at}` })),
    resourceTemplates: Array.from({ length: 100 }, (_, at) => ({
      ...hostileItem(random),
      uriTemplate: `fuzz://${at}/{x}`,
    })),
    prompts: Array.from({ length: 150 }, (_, at) => ({ ...hostileItem(random), name: `fuzz_${at}` })),
  };
  await using served = await serveLists(lists);
  await using old = await connectOld(served.url);
  await using modern = await connectMcp(served.url, 'modern');
  await using legacy = await connectMcp(served.url, 'legacy');
  for (const { client } of [old, modern, legacy] as unknown as { client: OldClient }[]) {
    const { tools } = await client.listTools();
    expect(tools.filter(({ name }) => name.startsWith('fuzz_')).length).toBeGreaterThan(100);
    expect((await client.listResources()).resources.length).toBeGreaterThanOrEqual(150);
    expect((await client.listResourceTemplates()).resourceTemplates.length).toBeGreaterThanOrEqual(100);
    expect((await client.listPrompts()).prompts.length).toBeGreaterThanOrEqual(150);
  }
});

type Random = <Value>(values: readonly Value[]) => Value;

function createRandom(seed: number): Random {
  let state = seed;
  return (values) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return values[Math.floor((state / 2 ** 32) * values.length)] as never;
  };
}

const junk: readonly unknown[] = [
  null,
  0,
  1.5,
  -1,
  '',
  'text',
  true,
  false,
  [],
  [null],
  [1],
  ['a'],
  {},
  { a: null },
  { __proto__: null, toString: 1 },
];

function junkOr(random: Random, value: unknown): unknown {
  return random([0, 1, 2]) === 0 ? random(junk) : value;
}

function hostileItem(random: Random): JsonObject {
  const members: Record<string, unknown> = {
    name: 'a name',
    title: 'Title',
    description: 'Text',
    mimeType: 'text/plain',
    size: 3,
    icons: [
      {
        src: junkOr(random, 'https://example.com/a.png'),
        mimeType: junkOr(random, 'image/png'),
        sizes: junkOr(random, ['any']),
        theme: junkOr(random, 'dark'),
      },
      junkOr(random, { src: 'data:' }),
    ],
    annotations: {
      audience: junkOr(random, [random(['user', 'robot', 3])]),
      priority: junkOr(random, random([0, 1, 0.5, 7])),
      lastModified: junkOr(
        random,
        random(['2026-01-01T00:00:00Z', '2026-02-30T00:00:00Z', 'yesterday', '2026-01-01T25:00:00+01:00']),
      ),
      title: junkOr(random, 'T'),
      readOnlyHint: junkOr(random, true),
    },
    arguments: [
      {
        name: junkOr(random, 'a'),
        description: junkOr(random, 'd'),
        required: junkOr(random, true),
        title: junkOr(random, 't'),
      },
    ],
    _meta: { 'example/a': 1 },
    execution: { taskSupport: junkOr(random, 'optional') },
  };
  return Object.fromEntries(
    Object.entries(members).flatMap(([key, value]) => (random([0, 1]) ? [[key, junkOr(random, value)]] : [])),
  );
}

function hostileTool(at: number, random: Random): JsonObject {
  return {
    ...hostileItem(random),
    name: `fuzz_${at}`,
    inputSchema: junkOr(random, hostileSchema(random, 2)),
    ...(random([0, 1]) && { outputSchema: junkOr(random, hostileSchema(random, 3)) }),
  };
}

function hostileSchema(random: Random, depth: number): unknown {
  if (depth === 0) return junkOr(random, { type: random(['string', 'object', 'wrong']) });
  const child = () => hostileSchema(random, depth - 1);
  const members: Record<string, () => unknown> = {
    type: () => random<unknown>(['object', 'array', 'string', ['object', 'null'], 'wrong']),
    $schema: () =>
      random<unknown>(['http://json-schema.org/draft-04/schema#', 'https://json-schema.org/draft/2020-12/schema', 3]),
    $id: () => random<unknown>(['https://example.com/a', '#here', 'relative', 5, 'not a uri %']),
    $ref: () => random<unknown>(['#', '#/$defs/a', '#/nowhere', 'https://example.com/a', '#here', '#/$defs/%', 5]),
    $defs: () => ({ a: child(), b: child() }),
    properties: () => ({ a: child(), b: junkOr(random, child()), __proto__: 1 }),
    required: () => junkOr(random, ['a']),
    items: child,
    prefixItems: () => [child()],
    anyOf: () => [child(), child()],
    oneOf: () => junkOr(random, [child()]),
    allOf: () => [child()],
    not: child,
    additionalProperties: child,
    patternProperties: () => ({ [random(['^a', '(', '[z-a]'])]: child() }),
    pattern: () => random<unknown>(['^a$', '(', '\\p{L}', '\\-', 3]),
    format: () => random<unknown>(['date', 'nothing', 'toString', 3]),
    enum: () => random<unknown>([[], [1], 'a']),
    const: () => random(junk),
    minimum: () => random<unknown>([1, '1']),
    nullable: () => random([true, false]),
    id: () => random<unknown>(['a', 5]),
    dependencies: () => ({ a: junkOr(random, ['b']) }),
    $anchor: () => random<unknown>(['here', 5, 'not valid!']),
    default: () => random(junk),
    title: () => random(junk),
    discriminator: () => random(junk),
    contains: child,
    uniqueItems: () => random<unknown>([true, 'a']),
    $async: () => true,
    definitions: () => junkOr(random, { c: child() }),
  };
  const chosen = Object.entries(members).filter(() => random([0, 0, 0, 1]));
  return Object.fromEntries(chosen.map(([key, make]) => [key, make()]));
}
