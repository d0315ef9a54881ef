import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../contract/json.ts';
import { assertRisksAccepted, planServer } from './plan-server.ts';
import { readEntry } from './read-entry.ts';

const base = { name: 'io.github.ada/weather', description: 'Weather', version: '1.2.0' };
const read = (more: JsonObject) => readEntry({ server: { ...base, ...more }, _meta: {} }) ?? expect.fail('no entry');
const npm = (more: JsonObject = {}) => ({
  registryType: 'npm',
  identifier: '@ada/weather',
  version: '1.2.0',
  transport: { type: 'stdio' },
  ...more,
});
const onlyOption = (one: JsonObject, kind: 'packages' | 'remotes' = 'packages') => {
  const { installOptions, unusable } = read({ [kind]: [one] });
  expect(unusable).toEqual([]);
  return installOptions[0] ?? expect.fail('no install option');
};
const reasonOf = (one: JsonObject, kind: 'packages' | 'remotes' = 'packages') =>
  read({ [kind]: [one] }).unusable[0]?.reason;

describe('a registry package', () => {
  test.each<[string, JsonObject, object]>([
    ['npm', npm(), { command: 'npx', args: ['-y', '@ada/weather@1.2.0'] }],
    ['pypi', npm({ registryType: 'pypi', identifier: 'weather' }), { command: 'uvx', args: ['weather@1.2.0'] }],
    [
      'oci',
      npm({ registryType: 'oci', identifier: 'ghcr.io/ada/weather' }),
      { command: 'docker', args: ['run', '-i', '--rm', 'ghcr.io/ada/weather:1.2.0'] },
    ],
    [
      'oci with a tag of its own',
      npm({ registryType: 'oci', identifier: 'localhost:5000/ada/weather:2', version: undefined }),
      { command: 'docker', args: ['run', '-i', '--rm', 'localhost:5000/ada/weather:2'] },
    ],
    [
      'oci with a digest',
      npm({ registryType: 'oci', identifier: `ghcr.io/ada/weather@sha256:${'a1'.repeat(32)}`, version: undefined }),
      { command: 'docker', args: ['run', '-i', '--rm', `ghcr.io/ada/weather@sha256:${'a1'.repeat(32)}`] },
    ],
    [
      'oci with a tag and a digest',
      npm({ registryType: 'oci', identifier: `localhost:5000/ada/weather:latest@sha256:${'0f'.repeat(32)}` }),
      { command: 'docker', args: ['run', '-i', '--rm', `localhost:5000/ada/weather:latest@sha256:${'0f'.repeat(32)}`] },
    ],
    [
      'oci with a digest as its version',
      npm({ registryType: 'oci', identifier: 'ada/weather', version: `sha256:${'0f'.repeat(32)}` }),
      { command: 'docker', args: ['run', '-i', '--rm', `ada/weather@sha256:${'0f'.repeat(32)}`] },
    ],
    [
      'nuget',
      npm({ registryType: 'nuget', identifier: 'Ada.Weather' }),
      { command: 'dnx', args: ['Ada.Weather@1.2.0', '--yes'] },
    ],
  ])('a registry package of type %s runs in exactly its version', (_, one, server) => {
    expect(planServer(onlyOption(one), {})).toEqual({ transport: 'stdio', env: {}, ...server });
  });

  test('a registry package has its arguments and variables filled in, without empty optional ones', () => {
    const option = onlyOption(
      npm({
        runtimeArguments: [
          { type: 'positional', value: '-y' },
          { type: 'named', name: '--quiet' },
        ],
        packageArguments: [
          { type: 'positional', valueHint: 'directory', isRequired: true, description: 'What it may read' },
          { type: 'named', name: '--units', default: 'metric', choices: ['metric', 'imperial'] },
          { type: 'named', name: '--cache', placeholder: '/tmp' },
          {
            type: 'named',
            name: '--endpoint',
            value: 'https://{host}/v1',
            variables: { host: { default: 'a.example' } },
          },
        ],
        environmentVariables: [
          { name: 'KEY', isRequired: true, isSecret: true },
          { name: 'AUTH', value: 'Bearer {token}', variables: { token: {} } },
          { name: 'MODE', value: 'quiet' },
        ],
      }),
    );
    expect(option.label).toBe(
      "AUTH='Bearer <token>' MODE=quiet npx -y --quiet @ada/weather@1.2.0 <directory> --units <units> --cache <cache> --endpoint https://<host>/v1",
    );
    expect(option.inputs).toEqual([
      { key: 'KEY', isRequired: true, isSecret: true },
      { key: 'token', isRequired: false, isSecret: false },
      { key: 'directory', isRequired: true, isSecret: false, description: 'What it may read' },
      { key: 'units', isRequired: false, isSecret: false, default: 'metric', choices: ['metric', 'imperial'] },
      { key: 'cache', isRequired: false, isSecret: false, placeholder: '/tmp' },
      { key: 'host', isRequired: false, isSecret: false, default: 'a.example' },
    ]);
    const args = [
      '-y',
      '--quiet',
      '@ada/weather@1.2.0',
      '/srv',
      '--units',
      'metric',
      '--endpoint',
      'https://a.example/v1',
    ];
    expect(planServer(option, { KEY: 'k', directory: '/srv' })).toEqual({
      transport: 'stdio',
      command: 'npx',
      args,
      env: { KEY: 'k', MODE: 'quiet' },
    });
    // Inserted values are not expanded a second time.
    expect(planServer(option, { KEY: '{token}', directory: '{KEY}', token: 't', cache: '/c' })).toMatchObject({
      args: [...args.slice(0, 3), '{KEY}', '--units', 'metric', '--cache', '/c', ...args.slice(6)],
      env: { KEY: '{token}', AUTH: 'Bearer t' },
    });
    expect(() => planServer(option, { units: 'feet', other: 'x' })).toThrow(
      "'other' is not an input of this server; 'KEY' is required; 'directory' is required; 'units' must be one of metric, imperial",
    );
  });

  test('a registry package shows fixed values and gives two arguments with the same name different keys', () => {
    const option = onlyOption(
      npm({
        packageArguments: [
          { type: 'positional', valueHint: 'file' },
          { type: 'positional', valueHint: 'file' },
          { value: 'a b; c' },
        ],
        environmentVariables: [{ name: 'NODE_OPTIONS', value: "--require '/tmp/x.js'" }],
      }),
    );
    expect(option.label).toBe(
      String.raw`NODE_OPTIONS='--require '\''/tmp/x.js'\''' npx -y @ada/weather@1.2.0 <file> <file_2> 'a b; c'`,
    );
    expect(planServer(option, { file: 'one', file_2: 'two' })).toMatchObject({
      args: ['-y', '@ada/weather@1.2.0', 'one', 'two', 'a b; c'],
    });
  });

  test('a registry package passes variables to a container by name', () => {
    const option = onlyOption(
      npm({
        registryType: 'oci',
        identifier: 'ada/weather',
        runtimeArguments: [{ type: 'named', name: '--network', value: 'none' }],
        environmentVariables: [{ name: 'KEY', isRequired: true }],
      }),
    );
    expect(planServer(option, { KEY: 'k' })).toMatchObject({
      args: ['run', '-i', '--rm', '--network', 'none', '-e', 'KEY', 'ada/weather:1.2.0'],
      env: { KEY: 'k' },
    });
  });

  test.each([
    [npm({ identifier: '--call=evil' }), "'--call=evil' is not a valid package name"],
    [npm({ identifier: 'a b' }), 'is not a valid package name'],
    [npm({ identifier: 'git+ssh://evil/x' }), 'is not a valid package name'],
    [npm({ registryType: 'oci', identifier: '-v/:/host' }), 'is not a valid package name'],
    [npm({ version: 'latest' }), "'latest' is not one exact version"],
    [npm({ registryType: 'oci', identifier: 'ada/weather:latest' }), "'latest' is not one exact version"],
    [npm({ registryType: 'oci', identifier: 'ada/weather@sha256:abc' }), "'sha256:abc' is not one exact version"],
    [npm({ registryType: 'oci', identifier: 'ada/weather@latest' }), "'latest' is not one exact version"],
    [npm({ environmentVariables: [{ name: '__proto__' }] }), "'__proto__' is not a valid input name"],
    [npm({ version: '>=1 || evil' }), 'is not one exact version'],
    [npm({ registryType: 'mcpb' }), "packages of the kind 'mcpb' are not run"],
    [npm({ registryType: 'constructor' }), "packages of the kind 'constructor' are not run"],
    [npm({ transport: { type: 'streamable-http', url: 'http://localhost' } }), 'start it yourself'],
    [npm({ environmentVariables: [{ value: 'x' }] }), 'has no name'],
  ])('%j is rejected: %s', (one, reason) => {
    expect(reasonOf(one as JsonObject)).toContain(reason);
  });
});

test.each(['next', '1.x', 'x', 'LATEST', '1', '1.2', '^1.2.0', '*', 'v1'])(
  'npm version %s can move to other code and is refused',
  (version) => {
    expect(reasonOf(npm({ version }))).toBe(`'${version}' is not one exact version`);
  },
);

test('exact versions of every package type are accepted', () => {
  for (const [registryType, version] of [
    ['npm', '1.2.0-rc.1+build.5'],
    ['pypi', '2026.1rc1.post2'],
    ['oci', 'v1.2.0-alpine'],
    ['nuget', '1.2.3.4'],
  ])
    expect(reasonOf(npm({ registryType, identifier: 'ada', version }))).toBeUndefined();
  expect(reasonOf(npm({ registryType: 'oci', identifier: 'ada/weather:stable' }))).toContain('not one exact version');
});

test.each([
  ...[
    'XDG_CONFIG_HOME',
    'PREFIX',
    'NODE_PATH',
    'npm_config_registry',
    'PYTHONUSERBASE',
    'GIT_SSH_COMMAND',
    'DYLD_INSERT_LIBRARIES',
    'CC',
    'CXX',
    'MAKEFLAGS',
    'CFLAGS',
    'PYTHON',
  ],
  ...[
    'HOME',
    'TMPDIR',
    'APPDATA',
    'BUN_INSTALL',
    'CARGO_HOME',
    'GOPROXY',
    'JAVA_HOME',
    'https_proxy',
    'BASH_ENV',
    'RUBYOPT',
  ],
])('the variable %s of a registry entry is shown as a risk', (name) => {
  const option = onlyOption(npm({ environmentVariables: [{ name, value: '/tmp/evil' }] }));
  expect(option.risks).toEqual([`The variable ${name}=/tmp/evil can change which code runs.`]);
});

test.each(['NODE_ENV', 'API_KEY', 'LOG_LEVEL', 'GITHUB_TOKEN', 'BASE_URL', 'PORT', 'DEBUG'])(
  'the variable %s of a registry entry is no risk',
  (name) => {
    expect(onlyOption(npm({ environmentVariables: [{ name, value: 'x' }] })).risks).toEqual([]);
  },
);

test('risky settings of the publisher are shown, and must be accepted', () => {
  const option = onlyOption(
    npm({
      runtimeArguments: [
        { type: 'named', name: '--package', value: 'evil@latest' },
        { type: 'positional', value: '--from=git+https://evil.example/x' },
        { type: 'named', name: '--quiet' },
      ],
      environmentVariables: [
        { name: 'LD_PRELOAD', default: '/tmp/evil.so' },
        { name: 'NODE_OPTIONS', value: '--require /tmp/x.js' },
        { name: 'PATH' },
        { name: 'UNITS', default: 'metric' },
      ],
    }),
  );
  expect(option.label).toContain("LD_PRELOAD=/tmp/evil.so NODE_OPTIONS='--require /tmp/x.js' UNITS=metric npx");
  expect(option.risks).toEqual([
    'The runtime argument --package evil@latest can change what npx runs or may access.',
    'The runtime argument --from=git+https://evil.example/x can change what npx runs or may access.',
    'The variable LD_PRELOAD=/tmp/evil.so can change which code runs.',
    "The variable NODE_OPTIONS='--require /tmp/x.js' can change which code runs.",
  ]);
  expect(() => assertRisksAccepted(option, undefined)).toThrow('Review and accept these settings first');
  expect(() => assertRisksAccepted(option, true)).not.toThrow();
  const docker = npm({ registryType: 'oci', runtimeArguments: [{ type: 'named', name: '--privileged' }] });
  expect(onlyOption({ ...docker, identifier: 'ada/weather' }).risks).toHaveLength(1);
  expect(onlyOption(npm()).risks).toEqual([]);
});

describe('a registry remote', () => {
  test('a registry remote has a URL and headers', () => {
    const option = onlyOption(
      {
        type: 'streamable-http',
        url: 'https://{tenant}.example.com:{port}/mcp',
        variables: { tenant: {}, port: { default: '443' } },
        headers: [
          { name: 'Authorization', value: 'Bearer {token}', variables: { token: { isSecret: true } } },
          { name: 'X-Team' },
        ],
      },
      'remotes',
    );
    expect(option).toMatchObject({
      kind: 'address',
      label: 'https://{tenant}.example.com:{port}/mcp (Authorization: Bearer {token})',
      inputs: [
        { key: 'tenant', isRequired: true },
        { key: 'port', isRequired: true, default: '443' },
        { key: 'token' },
        { key: 'X-Team' },
      ],
    });
    expect(planServer(option, { tenant: 'ada', token: 't' })).toEqual({
      transport: 'http',
      url: 'https://ada.example.com:443/mcp',
      headers: { Authorization: 'Bearer t' },
    });
    expect(planServer(onlyOption({ type: 'sse', url: 'https://a.example/sse' }, 'remotes'), {})).toMatchObject({
      transport: 'sse',
    });
  });

  test.each([
    [{ type: 'carrier-pigeon', url: 'https://a.example' }, "its transport 'carrier-pigeon' is not known"],
    [{ type: 'sse', url: 'javascript:alert(1)' }, 'no web URL'],
    [{ type: 'sse' }, 'no web URL'],
  ])('%j is skipped: %s', (one, reason) => {
    expect(reasonOf(one, 'remotes')).toContain(reason);
  });
});

describe('a registry entry', () => {
  test('a registry entry may have the older format and includes its status', () => {
    expect(readEntry(base)).toMatchObject({ ...base, status: 'active', installOptions: [], unusable: [] });
    expect(readEntry({ server: base, _meta: { a: { status: 'deprecated' } } })).toMatchObject({ status: 'deprecated' });
    expect(read({ repository: { url: 'javascript:alert(1)' }, websiteUrl: 'https://a.example' })).toMatchObject({
      website: 'https://a.example',
    });
    expect(read({ repository: { url: 'javascript:alert(1)' } }).repository).toBeUndefined();
  });

  test.each([[null], ['x'], [{}], [{ server: { name: 3 } }], [{ server: { name: '' } }]])(
    'a registry entry cannot be read from %j',
    (value) => {
      expect(readEntry(value)).toBeUndefined();
    },
  );
});
