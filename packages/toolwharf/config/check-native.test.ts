import { describe, expect, test } from 'vitest';
import { ToolwharfError } from '../../contract/errors.ts';
import { parseConfig, parseConfigText } from './load-config.ts';
import type { Problem } from './problems.ts';

function problemsOf(load: () => unknown): { readonly problems: readonly Problem[]; readonly message: string } {
  try {
    load();
  } catch (error) {
    if (!(error instanceof ToolwharfError)) throw error;
    expect(error.code).toBe('CONFIG_INVALID');
    return { problems: error.data.problems as readonly Problem[], message: error.message };
  }
  return expect.fail('it was loaded');
}

const inText = (text: string, file = 'toolwharf.yaml') => problemsOf(() => parseConfigText(text, file, { env: {} }));
const inServer = (server: unknown) => problemsOf(() => parseConfig({ servers: { a: server } }, { env: {} })).message;
const inToolbox = (toolbox: unknown) => problemsOf(() => parseConfig({ toolbox }, { env: {} })).message;

describe('the problems of a configuration', () => {
  test('the problems of a configuration are all reported at once, in file order, each with its position [M11]', () => {
    const { problems, message } = inText(`servers:
  github:
    comand: npx
    timeout: 10ms
  web:
    url: https://example.com/mcp
    mode: lax
toolbox:
  max_concurrent: 0
`);
    expect(message.split('\n')).toEqual([
      'toolwharf.yaml has 5 problems:',
      "  toolwharf.yaml:2:3  servers.github  server 'github' needs 'command' (a program) or 'url' (an address)",
      "  toolwharf.yaml:3:5  servers.github.comand  unknown key, found 'comand'; did you mean 'command'?",
      '  toolwharf.yaml:4:14  servers.github.timeout  must be from 1 s to 300 s, found "10ms"',
      '  toolwharf.yaml:7:11  servers.web.mode  unknown value, found "lax"; allowed: strict, dynamic',
      '  toolwharf.yaml:9:19  toolbox.max_concurrent  must be a whole number, 1 or more, found 0',
    ]);
    expect(problems[3]).toEqual({
      file: 'toolwharf.yaml',
      line: 7,
      column: 11,
      path: 'servers.web.mode',
      message: 'unknown value',
      found: '"lax"',
      allowed: ['strict', 'dynamic'],
    });
    expect(problems[1]).toMatchObject({ found: "'comand'", suggestion: 'command' });
  });

  test('the problems of a configuration have a path but no position when the configuration is an object', () => {
    const { problems } = problemsOf(() => parseConfig({ servers: { 'my server': { command: '' } } }, { env: {} }));
    expect(problems).toEqual([{ path: 'servers["my server"].command', message: 'must not be empty', found: '""' }]);
  });

  test('the problems of a configuration have the same positions in JSON, including files with tabs and comments', () => {
    const { message } = inText('{\n\t// note\n\t"servers": {\n\t\t"a": {"command": 5}\n\t}\n}', 'toolwharf.json');
    expect(message).toContain('toolwharf.json:4:20  servers.a.command  must be text');
  });

  test('the problems of a configuration are truncated to a readable number', () => {
    const servers = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`s${index}`, {}]));
    const { problems, message } = problemsOf(() => parseConfig({ servers }, { env: {} }));
    expect(problems).toHaveLength(500);
    expect(message).toMatch(/has 2000 problems/);
    expect(message).toMatch(/and 1500 more$/);
  });

  test('the problems of a configuration are limited to syntax errors when the file cannot be parsed', () => {
    expect(inText('servers: {a: {command: x\n').problems).toEqual([
      expect.objectContaining({
        file: 'toolwharf.yaml',
        path: '',
        message: expect.stringMatching(/not valid YAML or JSON/),
      }),
    ]);
  });
});

describe('an invalid server', () => {
  test.each([
    [
      'an unknown transport, with the server and the allowed values [A9]',
      { command: 'x', transport: 'pigeon' },
      /unknown transport of server 'a', found "pigeon"; allowed: stdio, http, sse, auto/,
    ],
    [
      'a transport that is not a string [A9]',
      { command: 'x', transport: 5 },
      /unknown transport of server 'a', found 5; allowed: stdio/,
    ],
    ['a misspelled transport [A9]', { url: 'https://x.y', transport: 'htp' }, /did you mean 'http'/],
    ['both command and url', { command: 'x', url: 'https://x.y' }, /server 'a' has both 'command' and 'url'/],
    ['neither command nor url', { description: 'x' }, /server 'a' needs 'command' \(a program\) or 'url'/],
    ['stdio with a url', { transport: 'stdio', url: 'https://x.y' }, /transport 'stdio', which needs 'command'/],
    ['http with a command', { transport: 'http', command: 'x' }, /transport 'http', which needs 'url'/],
    ['headers for a command', { command: 'x', headers: {} }, /servers\.a\.headers {2}belongs to a server with 'url'/],
    ['env for a URL', { url: 'https://x.y', env: {} }, /servers\.a\.env {2}belongs to a server with 'command'/],
    ['a value that is not a map', 'npx', /server 'a' must be a map, found "npx"/],
    ['a list', [], /server 'a' must be a map, found a list/],
    ['a malformed url [M11]', { url: 'example.com' }, /servers\.a\.url {2}must be a URL.*found "example\.com"/],
    ['an ftp url [M11]', { url: 'ftp://example.com' }, /must be an http or https URL/],
    ['an empty url', { url: '' }, /servers\.a\.url {2}must not be empty/],
    [
      'an unset variable as url',
      { url: '${NOT_SET}' },
      /servers\.a\.url {2}the environment variable NOT_SET is not set/,
    ],
    ['a missing file as url', { url: '${file:/nonexistent/url}' }, /servers\.a\.url {2}The file '\/nonexistent\/url'/],
    ['a timeout of zero [M11]', { command: 'x', timeout: 0 }, /must be from 1 s to 300 s, found 0/],
    ['a negative timeout [M11]', { command: 'x', timeout: -1 }, /must be positive, found -1/],
    ['a timeout over 300 s [R1]', { command: 'x', timeout: '6m' }, /must be from 1 s to 300 s, found "6m"/],
    ['a timeout that is not a duration', { command: 'x', timeout: 'PT1H30' }, /not ISO-8601.*found "PT1H30"/],
    ['a timeout that is a list', { command: 'x', timeout: [] }, /must be a duration such as 30s.*found a list/],
    ['six retries [R1]', { command: 'x', retryAttempts: 6 }, /must be a whole number from 0 to 5, found 6/],
    [
      'zero instances [M11]',
      { command: 'x', defaultToolConfig: { maxInstances: 0 } },
      /defaultToolConfig\.maxInstances {2}must be a whole number, 1 or more/,
    ],
    [
      'a fractional number of instances',
      { command: 'x', defaultToolConfig: { maxInstances: 1.5 } },
      /whole number, 1 or more, found 1\.5/,
    ],
    ['a rate without period', { command: 'x', rate: { calls: 1 } }, /servers\.a\.rate\.per {2}is required/],
    ['an unknown mode', { command: 'x', mode: 'lax' }, /found "lax"; allowed: strict, dynamic/],
    ['enabled as a string', { command: 'x', enabled: 'yes' }, /must be true or false, found "yes"/],
    ['a number in args', { command: 'x', args: [1] }, /servers\.a\.args\[0\] {2}must be text \(put numbers/],
    ['args as a string', { command: 'x', args: '-y' }, /must be a list/],
    ['a NUL in the command', { command: 'a\0b' }, /must not contain a NUL/],
    ['an empty glob', { command: 'x', allow: [''] }, /servers\.a\.allow\[0\] {2}must not be empty/],
    [
      'unknown authentication',
      { url: 'https://x.y', authentication: { type: 'magic' } },
      /allowed: none, bearer, api-key, basic, oauth/,
    ],
    [
      'authentication without type',
      { url: 'https://x.y', authentication: {} },
      /authentication\.type {2}is required; allowed: none/,
    ],
    [
      'authentication as a string',
      { url: 'https://x.y', authentication: 'bearer' },
      /must be a map with a type, found text/,
    ],
    [
      'bearer without token',
      { url: 'https://x.y', authentication: { type: 'bearer' } },
      /authentication\.token {2}is required/,
    ],
    [
      'a misspelled key of authentication',
      { url: 'https://x.y', authentication: { type: 'bearer', tokn: 'x' } },
      /unknown key, found 'tokn'.*did you mean 'token'/,
    ],
    [
      'both authentication and an Authorization header',
      { url: 'https://x.y', headers: { authorization: 'x' }, authentication: { type: 'bearer', token: 'x' } },
      /'authentication' and an Authorization header/,
    ],
    ['a header name with a space', { url: 'https://x.y', headers: { 'X Y': 'z' } }, /not a valid header name/],
    [
      'both spellings of a key',
      { command: 'x', retryAttempts: 1, retry_attempts: 2 },
      /retry_attempts {2}the same key as 'retryAttempts'/,
    ],
  ])('an invalid server is rejected: %s', (_, server, message) => {
    expect(inServer(server)).toMatch(message);
  });

  test.each(['', '   ', 'x'.repeat(101), 'tab\there', 'line\nbreak'])('a server cannot be named %j', (name) => {
    const { message } = problemsOf(() => parseConfig({ servers: { [name]: { command: 'x' } } }, { env: {} }));
    expect(message).toMatch(/a name must/);
  });

  test('an invalid server does not hide the problems of another server', () => {
    const { problems } = problemsOf(() =>
      parseConfig({ servers: { a: 5, b: { command: 5, url: 'nope' } } }, { env: {} }),
    );
    expect(problems.map((problem) => problem.path)).toEqual([
      'servers.a',
      'servers.b',
      'servers.b.url',
      'servers.b.command',
    ]);
  });

  test('an invalid server is reported with both positions when its name is used twice', () => {
    expect(inText('servers:\n  a: {command: x}\n  a: {command: y}\n').message).toContain(
      "toolwharf.yaml:3:3  duplicate key 'a', first at line 2",
    );
    expect(inText('{"servers": {"a": {"command": "x"}, "a": {"command": "y"}}}', 'a.json').message).toContain(
      "duplicate key 'a'",
    );
  });
});

describe('an invalid toolbox section', () => {
  test.each([
    [
      'zero concurrent calls',
      { maxConcurrent: 0 },
      /toolbox\.maxConcurrent {2}must be a whole number, 1 or more, found 0/,
    ],
    ['a negative queue', { maxQueued: -1 }, /must be a whole number, 0 or more, found -1/],
    ['an unknown naming', { naming: 'fancy' }, /allowed: mcp, server__tool, plain/],
    ['an unknown approval', { approval: { mode: 'never' } }, /allowed: auto, always-ask, trusted-only/],
    ['approvals that expire at once', { approval: { expires: 0 } }, /must be positive and at most 24 days, found 0/],
    ['a tool without a name', { tools: [{ timeout: '1s' }] }, /toolbox\.tools\[0\]\.name {2}is required/],
    [
      'a duplicate tool',
      { tools: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] },
      /toolbox\.tools\[2\] {2}duplicate tool 'a', first at index 0/,
    ],
    [
      'an invalid limit in a map of tools',
      { tools: { a: { max_instances: -1 } } },
      /toolbox\.tools\.a\.max_instances {2}must be a whole number/,
    ],
    ['tools as a string', { tools: 'all' }, /toolbox\.tools {2}must be a list, found "all"/],
    ['a value that is not a map', 5, /toolbox {2}must be a map, found 5/],
  ])('an invalid toolbox section is rejected: %s', (_, toolbox, message) => {
    expect(inToolbox(toolbox)).toMatch(message);
  });

  test('the same tool name on two servers is not a duplicate', () => {
    const servers = { a: { command: 'x' }, b: { command: 'x' } };
    const tools = [{ name: 't', server: 'a' }, { name: 't', server: 'b' }, { name: 't' }];
    expect(parseConfig({ servers, toolbox: { tools } }, { env: {} }).config.toolbox.tools).toHaveLength(3);
  });
});

describe('an invalid document', () => {
  test.each([
    [null, /must be a map with servers, found nothing/],
    ['text', /must be a map with servers, found "text"/],
    [[], /must be a map with servers, found a list/],
    [42, /must be a map with servers, found 42/],
    [undefined, /must be a map with servers/],
    [{ servers: [] }, /servers {2}must be a map of server names, found a list/],
    [{ server: {} }, /server {2}unknown key.*did you mean 'servers'/],
    [{ servers: {}, profile: {} }, /profile {2}unknown key.*did you mean 'profiles'/],
    [{ servers: {}, mcpServers: {} }, /mixes 'mcpServers' and 'servers'/],
    [{ servers: { a: { command: () => 'x' } } }, /servers\.a\.command {2}must be a JSON value, found a function/],
    [{ servers: { a: { command: 'x', env: new Map() } } }, /servers\.a\.env {2}must be a JSON value, found a Map/],
    [{ toolbox: { maxQueued: Number.NaN } }, /must be a finite number/],
  ])('an invalid document is rejected: %j', (input, message) => {
    expect(problemsOf(() => parseConfig(input, { env: {} })).message).toMatch(message);
  });

  test('an invalid document is rejected: a circular object', () => {
    const servers: Record<string, unknown> = {};
    servers.a = { command: 'x', rate: servers };
    expect(problemsOf(() => parseConfig({ servers }, { env: {} })).message).toMatch(/nested too deeply/);
  });
});

describe('a secret', () => {
  test('a secret never appears in a problem', () => {
    const { message, problems } = problemsOf(() =>
      parseConfig(
        {
          servers: {
            a: { command: 'x', env: { A: 11_223_344, B: ['hunter2'] }, args: [99_887_766] },
            b: {
              url: 'https://ada:hunter2@example.com/?key=hunter2',
              headers: { X: 'hunter2\n' },
              authentication: { type: 'hunter2', token: 55_443_322 },
            },
            c: { url: 'hunter2://ada:hunter2@x?hunter2', password: 'hunter2' },
            d: { url: '${SECRET_URL}' },
          },
        },
        { env: { SECRET_URL: 'hunter2' } },
      ),
    );
    expect(problems.length).toBeGreaterThan(7);
    const text = message + JSON.stringify(problems);
    expect(text.replaceAll('hunter2://', '')).not.toMatch(/hunter2|11223344|99887766|55443322/);
    expect(problems.find((problem) => problem.path === 'servers.a.env.A')).toMatchObject({ found: 'a number' });
    expect(problems.find((problem) => problem.path === 'servers.b.authentication.type')).toMatchObject({
      found: 'text',
    });
  });
});
