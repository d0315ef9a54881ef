import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScriptedChat, startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startGatewayHere } from '../support/gateway.ts';
import { cliIn } from '../support/run-cli.ts';
import { openToolbox } from '../support/toolbox.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());

const sum = (body: string) => `export default [{
  name: 'sum_numbers',
  description: 'Adds two numbers',
  parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  execute: ({ a, b }) => ${body},
}];`;

describe('local tool modules in the configuration', () => {
  const cli = cliIn(directory);
  let config: string;
  beforeAll(async () => {
    await writeFile(directory.file('tools.mjs'), sum('a + b'));
    config = await cli.config({ localTools: './tools.mjs', servers: { demo: fixture('legacy') } });
  });

  test('local tool modules in the configuration are offered together with MCP tools by toolwharf tools and toolwharf call [N3]', async () => {
    const listed = await cli.run(['tools', '-c', config]);
    expect(listed.stdout).toMatch(/^ +mcp_demo_echo /m);
    expect(listed.stdout).toMatch(/^local tools and chains {2}1 tool\n +sum_numbers +Adds two numbers$/m);
    const called = await cli.run(['call', 'sum_numbers', 'a=20', 'b=22', '-c', config]);
    expect(called).toMatchObject({ code: 0, stdout: '42\n' });
    const invalid = await cli.run(['call', 'sum_numbers', 'a=20', '-c', config]);
    expect(invalid.code).not.toBe(0);
  });

  test('local tool modules in the configuration are offered by toolwharf serve over the API and can be called [N3]', async () => {
    await using gateway = await startGatewayHere(cli, directory.file('served'), ['-c', config]);
    const { body } = await gateway.api('GET', '/api/tools');
    const names = (body as { tools: { name: string }[] }).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['sum_numbers', 'mcp_demo_echo']));
    const called = await gateway.api('POST', '/api/tools/sum_numbers/call', { arguments: { a: 1, b: 2 } });
    expect(JSON.stringify(called.body)).toContain('"text":"3"');
  });

  describe('in a chat', () => {
    let model: ScriptedChat;
    beforeAll(async () => {
      model = await startScriptedChat([]);
    });
    afterAll(() => model[Symbol.asyncDispose]());

    test('local tool modules in the configuration are available to an assistant beside the tools of servers [N3]', async () => {
      const env = { TOOLWHARF_DATA_DIR: directory.file('chat') };
      await cli.run(['models', 'add', 'Scripted', '--url', model.url, '--no-key', '-c', config], { env });
      const assistant = ['assistants', 'add', 'Helper', '--model', 'Scripted/scripted', '--servers', 'local,demo'];
      expect(await cli.run([...assistant, '-c', config], { env })).toMatchObject({ code: 0 });
      model.push({ calls: [{ name: 'sum_numbers', args: { a: 2, b: 3 } }] }, { text: 'It is 5.' });
      const { stdout, stderr } = await cli.run(['chat', '-c', config, '--auto', '--once', 'What is 2 + 3?'], { env });
      expect({ stdout, stderr }).toMatchObject({
        stdout: 'It is 5.\n',
        stderr: expect.stringContaining('sum_numbers'),
      });
      expect(model.requests.at(-1)?.tools).toEqual(expect.arrayContaining(['sum_numbers', 'mcp_demo_echo']));
      expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: 'tool', content: '5' });
    });
  });

  test('local tool modules in the configuration stop the start with the path and the reason if they cannot be loaded', async () => {
    const broken = directory.file('broken.mjs');
    await writeFile(broken, 'throw new Error("no database");');
    const file = await cli.config({ localTools: ['./tools.mjs', 'broken.mjs'] });
    const { code, stderr } = await cli.run(['tools', '-c', file]);
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`Local tools cannot be loaded from ${broken}: no database`),
    });
  });

  test('local tool modules in the configuration stop the start in the myai dialect if one of their tools is not configured [M3]', async () => {
    const file = await cli.config('localTools: ./tools.mjs\nmyai: { toolbox: { tools: [], mcps: [] } }\n');
    const { code, stderr } = await cli.run(['tools', '-c', file]);
    expect(code).toBe(4);
    expect(stderr).toContain("Local tool 'sum_numbers' is not configured in the toolbox.");
  });
});

describe('reloading the configuration', () => {
  test('reloading the configuration loads a changed module again, removes the tools of a removed module, and changes nothing if a module is broken', async () => {
    const [module, config] = [directory.file('changing.mjs'), directory.file('toolwharf.yaml')];
    const name = 'sum_numbers';
    await writeFile(module, sum('a + b'));
    await writeFile(config, 'localTools: changing.mjs\nservers: {}\n');
    await using toolbox = await openToolbox(config, { watch: true });
    const next = (event: 'config.applied' | 'config.refused') =>
      new Promise<void>((resolve) => {
        const stop = toolbox.on(event, () => {
          stop();
          resolve();
        });
      });
    const change = async (text: string, event: 'config.applied' | 'config.refused') => {
      const applied = next(event);
      await writeFile(config, text);
      await applied;
    };
    expect((await toolbox.call(name, { a: 2, b: 3 })).text).toBe('5');

    await writeFile(module, sum('a * b'));
    await change('localTools: [changing.mjs]\nservers: {}\n', 'config.applied');
    expect((await toolbox.call(name, { a: 2, b: 3 })).text).toBe('6');

    await writeFile(module, 'export default [{ name: 5 }];');
    await change('localTools: [./changing.mjs]\nservers: {}\n', 'config.refused');
    expect((await toolbox.call(name, { a: 2, b: 3 })).text).toBe('6');

    await change('servers: {}\n', 'config.applied');
    expect(toolbox.tools).toEqual([]);
  });
});
