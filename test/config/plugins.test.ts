import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { localTool } from '../../packages/toolwharf/index.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { openToolbox } from '../support/toolbox.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());

const echo = localTool({
  name: 'echo',
  parameters: { type: 'object', properties: { text: { type: 'string' } } },
  execute: ({ text }: { text: string }) => text,
});

describe('plugins in a configuration file', () => {
  const write = async (name: string, text: string) => {
    await writeFile(directory.file(name), text);
    return directory.file(name);
  };

  test('plugins in a configuration file are loaded from packages and paths, with their options and the values of variables', async () => {
    const installed = directory.file('node_modules/quiet-plugin');
    await mkdir(installed, { recursive: true });
    // A package that can only be imported.
    await writeFile(
      `${installed}/package.json`,
      '{ "name": "quiet-plugin", "exports": { ".": { "import": "./main.mjs" } } }',
    );
    await writeFile(
      `${installed}/main.mjs`,
      `export default async ({ word, token }) => ({
        name: 'quiet',
        policy: ({ arguments: { text } }) => (text === word ? { kind: 'deny', reason: 'token of ' + token.length } : undefined),
        tools: [{ name: 'quiet_word', execute: () => word }],
      });`,
    );
    await write(
      'plain.mjs',
      `export default { name: 'plain', tools: [{ name: 'plain_tool', execute: () => 'plain' }] };`,
    );
    const config = await write(
      'packages.yaml',
      "plugins:\n  - module: quiet-plugin\n    options: { word: hush, token: '${PLUGIN_TOKEN}' }\n  - ./plain.mjs\nservers: {}\n",
    );
    await using toolbox = await openToolbox(config, { tools: [echo], env: { PLUGIN_TOKEN: 'secret' } });
    expect(toolbox.plugins()).toMatchObject([
      { name: 'quiet', module: 'quiet-plugin', parts: ['policy', 'tools'] },
      { name: 'plain', module: './plain.mjs', parts: ['tools'] },
    ]);
    expect((await toolbox.call('quiet_word', {})).text).toBe('hush');
    expect((await toolbox.call('plain_tool', {})).text).toBe('plain');
    expect((await toolbox.call('echo', { text: 'hush' })).text).toContain('token of 6');
  });

  test('plugins in a configuration file that cannot be used are configuration errors with file, line, cause and remedy', async () => {
    await write('broken.mjs', 'throw new Error("no database");');
    await write('typo.mjs', "export default { name: 'typo', polcy: () => {} };");
    await write('strict.mjs', 'export default ({ limit }) => { if (!limit) throw new Error("limit is required"); };');
    await write('named.mjs', 'export const plugin = {};');
    await write('plain.mjs', "export default { name: 'plain' };");
    const config = await write(
      'wrong.yaml',
      [
        'plugins:',
        '  - ./missing.mjs',
        '  - not-installed',
        '  - ./broken.mjs',
        '  - ./typo.mjs',
        '  - ./strict.mjs',
        '  - ./named.mjs',
        '  - module: ./plain.mjs',
        '    options: { level: 5 }',
        'servers: {}',
      ].join('\n'),
    );
    const error = await openToolbox(config).catch((cause) => cause);
    expect(error.code).toBe('CONFIG_INVALID');
    const lines = String(error.message).split('\n').slice(1);
    expect(lines).toEqual([
      `  ${config}:2:5  plugins[0]  cannot load './missing.mjs': there is no file ${directory.file('missing.mjs')}; paths are relative to the configuration file`,
      `  ${config}:3:5  plugins[1]  cannot load 'not-installed': it is not installed in ${directory.path}; run \`npm install not-installed\` there`,
      `  ${config}:4:5  plugins[2]  cannot load './broken.mjs': no database`,
      `  ${config}:5:5  plugins[3]  the default export of './typo.mjs' has an unknown key 'polcy'; did you mean 'policy'?`,
      `  ${config}:6:5  plugins[4]  './strict.mjs' could not be created: limit is required`,
      `  ${config}:7:5  plugins[5]  './named.mjs' has no default export: export a plugin, or a function that creates one`,
      `  ${config}:8:5  plugins[6]  './plain.mjs' takes no options: remove them, or let it have 'settings' or export a function that takes options`,
    ]);
  });

  test('plugins in a configuration file must have unique names, and servers known transports with valid options', async () => {
    const tcp = new URL('../fixtures/plugins/tcp.mjs', import.meta.url).pathname;
    await write('one.mjs', "export default { name: 'same', transports: { http: { open() {} } } };");
    await write('two.mjs', "export default { name: 'same' };");
    const config = await write(
      'transports.yaml',
      [
        `plugins: [./one.mjs, ./two.mjs, ${tcp}]`,
        'servers:',
        '  a: { transport: tcpp, options: { port: 1 } }',
        '  b: { transport: tcp, options: { port: x } }',
      ].join('\n'),
    );
    const error = await openToolbox(config).catch((cause) => cause);
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.message).toContain("there is another plugin named 'same'");
    expect(error.message).toContain("the transport 'http' of 'same' is built in");
    expect(error.message).toMatch(
      /transports\.yaml:3:\d+ {2}servers\.a\.transport {2}unknown transport of server 'a'.*did you mean 'tcp'/,
    );
    expect(error.message).toMatch(/transports\.yaml:4:\d+ {2}servers\.b\.options {2}port: must be a whole number/);

    const without = await openToolbox({ servers: { a: { transport: 'tcp', options: {} } } } as never).catch(
      (cause) => cause,
    );
    expect(without.message).toContain("unknown transport of server 'a'");
  });

  test('plugins in a configuration file are replaced when it changes, and stay if the new ones cannot be loaded', async () => {
    const closed = directory.file('closed.txt');
    await write(
      'counted.mjs',
      `import { appendFileSync } from 'node:fs';
      export default ({ word }) => ({
        name: 'counted',
        tools: [{ name: 'word', execute: () => word }],
        close: () => appendFileSync(${JSON.stringify(closed)}, word + ' '),
      });`,
    );
    const config = await write(
      'changing.yaml',
      'plugins: [{ module: ./counted.mjs, options: { word: one } }]\nservers: {}\n',
    );
    await using toolbox = await openToolbox(config, { watch: true });
    const change = async (text: string, event: 'config.applied' | 'config.refused') => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const stop = toolbox.on(event, () => resolve());
      await writeFile(config, text);
      await promise;
      stop();
    };
    await change('plugins: [{ module: ./counted.mjs, options: { word: two } }]\nservers: {}\n', 'config.applied');
    expect((await toolbox.call('word', {})).text).toBe('two');
    await change('plugins: [./nowhere.mjs]\nservers: {}\n', 'config.refused');
    expect((await toolbox.call('word', {})).text).toBe('two');
    await change('plugins: []\nservers: {}\n', 'config.applied');
    expect(toolbox.tools).toEqual([]);
    expect(await readFile(closed, 'utf8')).toBe('one two ');
  });

  test('servers start again when a plugin that wraps programs comes or leaves, and others go on', async () => {
    await write(
      'wrapper.mjs',
      "export default { name: 'wrapper', launch: ({ env, ...program }) => ({ ...program, env: { ...env, WRAPPED: 'yes' } }) };",
    );
    await write('plain.mjs', "export default { name: 'plain', review: () => undefined };");
    const config = directory.file('wrapping.json');
    const textWith = (...plugins: readonly unknown[]) => JSON.stringify({ plugins, servers: { s: fixture('legacy') } });
    await writeFile(config, textWith());
    await using toolbox = await openToolbox(config, { watch: true });
    const read = async (tool: string, args: object) => (await toolbox.call(`mcp_s_${tool}`, args)).text;
    const apply = async (...plugins: readonly unknown[]) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const stop = toolbox.on('config.applied', () => resolve());
      await writeFile(config, textWith(...plugins));
      await promise;
      stop();
      await toolbox.servers.connect('s');
    };
    expect(await read('env', { name: 'WRAPPED' })).toBe('');
    const wrapper = { module: './wrapper.mjs', on_failure: 'allow', timeout: '20s' };
    await apply(wrapper);
    expect(await read('env', { name: 'WRAPPED' })).toBe('yes');
    const pid = await read('pid', {});
    await apply(wrapper, './plain.mjs');
    expect(await read('pid', {})).toBe(pid);
    await apply({ ...wrapper, mode: 'shadow' }, './plain.mjs');
    expect(await read('env', { name: 'WRAPPED' })).toBe('');
    expect(toolbox.plugins()[0]).toMatchObject({ mode: 'shadow', onFailure: 'allow' });
  });
});
