import { mkdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../packages/contract/json.ts';
import type { Expose } from '../../packages/contract/settings/choices.ts';
import { countTokens } from '../../packages/toolwharf/features/signatures/count-tokens.ts';
import { createTasks, type TaskStep } from '../fixtures/models/ten-tasks.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { everything, filesystemServer, fixture, memoryServer, tempDir } from '../support/fixtures.ts';
import { connectMcp, type McpClient } from '../support/mcp-client.ts';

const generated = 5_000;

type Use = (name: string, args: JsonObject) => Promise<{ content: string; structured: JsonObject }>;
type Listed = readonly { readonly name: string; readonly inputSchema: JsonObject }[];

/** How a scripted model runs a step of a task through each exposure; returns the text of the result. */
const models: Record<Exclude<Expose, 'auto'>, (step: TaskStep, use: Use, listed: Listed) => Promise<string>> = {
  async all({ server, tool, args }, use, listed) {
    const found = listed.find(({ name }) => name === `${server}__${tool}`);
    if (!found) throw new Error(`${server}/${tool} is not listed`);
    return (await use(found.name, fitting(args, found.inputSchema))).content;
  },
  async search({ query, server, tool, args }, use) {
    const { structured } = await use('search_tools', { query });
    const found = (structured.tools as Listed).find(({ name }) => name === `${server}__${tool}`);
    if (!found) throw new Error(`"${query}" does not find ${server}/${tool}`);
    const described = (await use('describe_tools', { names: [found.name] })).structured.tools as Listed;
    const called = fitting(args, described[0]?.inputSchema ?? {});
    return (await use('call_tool', { name: found.name, arguments: called })).content;
  },
  async code({ query, server, tool, args }, use) {
    const { structured } = await use('search_tools', { query });
    const found = (structured.tools as Listed).find(({ name }) => namesIn(name) === `tools.${server}.${tool}`);
    if (!found) throw new Error(`"${query}" does not find ${server}/${tool}`);
    const { declarations } = (await use('describe_tools', { names: [found.name] })).structured;
    for (const name of Object.keys(args)) expect(declarations).toContain(name);
    return (await use('run_code', { code: `await ${found.name}(${JSON.stringify(args)})` })).content;
  },
};

/** `tools.files["read-file"]` as `tools.files.read-file`. */
function namesIn(path: string): string {
  return path.replaceAll(/\["([^"]*)"\]/g, '.$1');
}

const exposures = Object.keys(models) as (keyof typeof models)[];

/** Fails like a model that reads the schema, if the arguments are not among the properties. */
function fitting(args: JsonObject, { properties }: JsonObject): JsonObject {
  expect(Object.keys(properties as JsonObject)).toEqual(expect.arrayContaining(Object.keys(args)));
  return args;
}

let api: TestApi;
let directory: Awaited<ReturnType<typeof tempDir>>;
beforeAll(async () => {
  directory = await tempDir();
  const servers = {
    generated: fixture('generated-tools', { COUNT: String(generated) }),
    files: filesystemServer(directory.path),
    memory: memoryServer(directory.file('memory.json')),
    everything: everything('stdio'),
  };
  const profiles = Object.fromEntries(exposures.map((expose) => [expose, { expose }]));
  api = await startApi({ servers, profiles });
});
afterAll(async () => {
  await api.close();
  await directory[Symbol.asyncDispose]();
});

describe.each(exposures)('a model with 5 000 generated and the real tools, exposed by %s', (expose) => {
  let client: McpClient;
  let listed: Listed;
  beforeAll(async () => {
    client = await connectMcp(`${api.url}/mcp/${expose}`, 'modern');
    listed = (await client.client.listTools()).tools as unknown as Listed;
  });
  afterAll(() => client[Symbol.asyncDispose]());

  const use: Use = async (name, args) => {
    const { content, structuredContent, isError } = await client.client.callTool({ name, arguments: args });
    if (isError) throw new Error(JSON.stringify(content));
    return { content: JSON.stringify(content), structured: structuredContent as JsonObject };
  };

  test('solves ten tasks', async () => {
    await mkdir(directory.file(expose));
    const tasks = createTasks(directory.file(expose), expose);
    expect(tasks).toHaveLength(10);
    const outcomes: string[] = [];
    for (const { title, steps, result } of tasks) {
      let last = '';
      for (const step of steps) last = await models[expose](step, use, listed);
      outcomes.push(`${title}: ${last.includes(result) ? 'solved' : last}`);
    }
    expect(outcomes).toEqual(tasks.map(({ title }) => `${title}: solved`));
  });

  test('lists what its exposure promises', async () => {
    const { exposure } = (await api.get(`/api/profiles/${expose}`)).body;
    expect(exposure).toMatchObject({ exposed: expose });
    expect(exposure.count).toBeGreaterThan(generated + 35);
    const tokens = listed.reduce((sum, tool) => sum + countTokens(JSON.stringify(tool)), 0);
    if (expose === 'all') expect(listed).toHaveLength(exposure.count);
    else expect(tokens).toBeLessThan(0.02 * exposure.estimatedTokens);
  });
});
