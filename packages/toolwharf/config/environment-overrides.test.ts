import { describe, expect, test } from 'vitest';
import { parseConfig, parseConfigText } from './load-config.ts';

const servers = {
  github: { command: 'npx', env: { GITHUB_TOKEN: 'a' } },
  'internal-tools': { url: 'https://x.y/mcp', retryAttempts: 1 },
};
const load = (env: Record<string, string>, document: object = { servers }) => parseConfig(document, { env }).config;

describe('environment overrides', () => {
  const myai = {
    myai: {
      toolbox: {
        max_concurrent: 10,
        mcps: [{ name: 'a', url: 'https://x.y', mode: 'strict', default_tool_config: {} }],
      },
    },
  };

  test('APP_MYAI__TOOLBOX__MCPS__0__MODE changes the mode of a server [M14]', () => {
    expect(load({ APP_MYAI__TOOLBOX__MCPS__0__MODE: 'dynamic' }, myai).servers[0]?.mode).toBe('dynamic');
    expect(load({ APP_MYAI__TOOLBOX__MAX_CONCURRENT: '3' }, myai).toolbox.maxConcurrent).toBe(3);
  });

  test('an override can correct an invalid file [M14]', () => {
    const broken = { myai: { toolbox: { mcps: [{ name: 'a', url: 'https://x.y' }] } } };
    expect(() => load({}, broken)).toThrow(/needs 'mode'/);
    expect(load({ APP_MYAI__TOOLBOX__MCPS__0__MODE: 'strict' }, broken).servers[0]?.mode).toBe('strict');
    const nested = {
      APP_MYAI__TOOLBOX__MCPS__0__MODE: 'dynamic',
      APP_MYAI__TOOLBOX__MCPS__0__DEFAULT_TOOL_CONFIG__MAX_INSTANCES: '4',
    };
    expect(load(nested, broken).servers[0]?.defaultTool.maxInstances).toBe(4);
  });

  test('an override can invalidate a file and is then named in the problem [M14]', () => {
    const text = 'myai:\n  toolbox:\n    mcps:\n      - {name: a, url: "https://x.y", mode: strict}\n';
    expect(() => parseConfigText(text, 'c.yaml', { env: { APP_MYAI__TOOLBOX__MCPS__0__MODE: 'lax' } })).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(
          '  APP_MYAI__TOOLBOX__MCPS__0__MODE  myai.toolbox.mcps[0].mode  unknown value, found "lax"; allowed: strict, dynamic',
        ),
        data: expect.objectContaining({
          problems: [
            expect.objectContaining({ setBy: 'APP_MYAI__TOOLBOX__MCPS__0__MODE', path: 'myai.toolbox.mcps[0].mode' }),
          ],
        }),
      }),
    );
  });

  test('keys match in every case and spelling', () => {
    expect(load({ TOOLWHARF__TOOLBOX__MAX_CONCURRENT: '5' }).toolbox.maxConcurrent).toBe(5);
    const existing = { toolbox: { maxConcurrent: 1 } };
    expect(load({ TOOLWHARF__TOOLBOX__MAX_CONCURRENT: '5' }, existing).toolbox.maxConcurrent).toBe(5);
    expect(load({ TOOLWHARF__toolbox__maxConcurrent: '6' }, existing).toolbox.maxConcurrent).toBe(6);
    expect(load({ TOOLWHARF__SERVERS__INTERNAL_TOOLS__RETRY_ATTEMPTS: '5' }).servers[1]?.retryAttempts).toBe(5);
  });

  test('names of environment variables and headers retain their case, and their values are strings', () => {
    const { target } =
      load({
        TOOLWHARF__SERVERS__GITHUB__ENV__GITHUB_TOKEN: '12345',
        TOOLWHARF__SERVERS__GITHUB__ENV__NEW_ONE: 'true',
        TOOLWHARF__SERVERS__GITHUB__ARGS: '[-y, some-server]',
      }).servers[0] ?? {};
    expect(target).toMatchObject({ env: { GITHUB_TOKEN: '12345', NEW_ONE: 'true' }, args: ['-y', 'some-server'] });
  });

  test('values are YAML scalars', () => {
    expect(load({ TOOLWHARF__SERVERS__GITHUB__ENABLED: 'false' }).servers[0]?.enabled).toBe(false);
    expect(load({ TOOLWHARF__SERVERS__GITHUB__TIMEOUT: '45s' }).servers[0]?.timeoutMs).toBe(45_000);
    expect(load({ TOOLWHARF__SERVERS__GITHUB__TIMEOUT: '4500' }).servers[0]?.timeoutMs).toBe(4500);
    expect(load({ TOOLWHARF__SERVERS__GITHUB__DESCRIPTION: '42' }).servers[0]?.description).toBe('42');
    expect(load({ TOOLWHARF__SERVERS__GITHUB__DESCRIPTION: 'a: b # c' }).servers[0]?.description).toBe('a: b # c');
  });

  test('a server can be added, and a list extended in order', () => {
    expect(load({ TOOLWHARF__SERVERS__EXTRA__COMMAND: 'x' }).servers[2]).toMatchObject({
      name: 'extra',
      target: { command: 'x' },
    });
    const args = Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [`TOOLWHARF__SERVERS__GITHUB__ARGS__${i}`, `${i}`]),
    );
    expect(load(args).servers[0]?.target).toMatchObject({ args: Array.from({ length: 12 }, (_, i) => `${i}`) });
  });

  test('TOOLWHARF__ uses native keys in every dialect', () => {
    expect(
      load({ TOOLWHARF__SERVERS__A__ALLOW_INSECURE: 'true', TOOLWHARF__TOOLBOX__NAMING: 'mcp' }, myai),
    ).toMatchObject({
      toolbox: { naming: 'mcp' },
      servers: [{ target: { allowInsecure: true } }],
    });
  });

  test.each([
    [{ TOOLWHARF__: 'x' }, /TOOLWHARF__ {2}is not a path of keys/],
    [{ TOOLWHARF__TOOLBOX____X: 'x' }, /TOOLWHARF__TOOLBOX____X {2}is not a path of keys/],
    [
      { TOOLWHARF__TOLBOX__MAX_QUEUED: '1' },
      /TOOLWHARF__TOLBOX__MAX_QUEUED {2}tolbox {2}unknown key.*did you mean 'toolbox'/,
    ],
    [{ TOOLWHARF__SERVERS__GITHUB__COMMAND__X: '1' }, /servers\.github\.command {2}is a single value/],
    [{ TOOLWHARF__TOOLBOX__TOOLS__1__NAME: 'x' }, /toolbox\.tools {2}has 0 entries, there is no index 1/],
    [
      { TOOLWHARF__TOOLBOX__MAX_QUEUED: '-1' },
      /TOOLWHARF__TOOLBOX__MAX_QUEUED {2}toolbox\.max_queued {2}must be a whole number/,
    ],
  ])('%j is an error that names the variable', (env, message) => {
    expect(() => load(env)).toThrow(message);
  });

  test('a list requires an index, and an ambiguous key is rejected', () => {
    expect(() => load({ APP_MYAI__TOOLBOX__MCPS__A__MODE: 'x' }, myai)).toThrow(
      /myai\.toolbox\.mcps {2}is a list: 'A' should be an index/,
    );
    const twins = { servers: { 'a-b': { command: 'x' }, a_b: { command: 'x' } } };
    expect(() => load({ TOOLWHARF__SERVERS__AB__COMMAND: 'y' }, twins)).toThrow(
      /'AB' fits more than one key: a-b, a_b/,
    );
  });

  test('variables of other programs, and APP_MYAI__ in another dialect, change nothing', () => {
    const env = {
      TOOLWHARF_DATA_DIR: '/x',
      TOOLWHARF_KEY: 'k',
      APP_OTHER__TOOLBOX: '1',
      APP_MYAI__TOOLBOX__MAX_CONCURRENT: '1',
    };
    const { config, warnings } = parseConfig({ servers }, { env });
    expect(config).toEqual(load({}));
    expect(warnings).toEqual([expect.stringMatching(/^APP_MYAI__TOOLBOX__MAX_CONCURRENT is ignored/)]);
  });

  test('an error does not repeat the value of a variable', () => {
    const env = {
      TOOLWHARF__SERVERS__GITHUB__ENV: 'hunter2',
      TOOLWHARF__SERVERS__INTERNAL_TOOLS__AUTHENTICATION: 'hunter2',
    };
    expect(() => load(env)).toThrow(expect.objectContaining({ message: expect.not.stringContaining('hunter2') }));
  });
});
