import { describe, expect, test } from 'vitest';
import { serverInputSchema, serverRecordViewSchema } from '../../../contract/api/servers.ts';
import type { ToolwharfError } from '../../../contract/errors.ts';
import type { ServerRecord } from '../../../toolwharf/config/server-record.ts';
import type { RequestProblem } from './request-problems.ts';
import { readServerInput, toRecordView } from './server-masks.ts';

const common = {
  id: '6a4d1d1e-6f0b-4a8e-9a53-0c9ce0c6a111',
  allowInsecure: false,
  timeout: 30_000,
  retryAttempts: 3,
  enabled: true,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};
const http: ServerRecord = {
  ...common,
  name: 'remote',
  transport: 'http',
  url: 'https://tools.example.com/mcp?key=PLANTED-1',
  headers: { 'x-team': 'PLANTED-2' },
  authentication: { type: 'bearer', token: 'PLANTED-3' },
};
const program: ServerRecord = {
  ...common,
  name: 'program',
  transport: 'stdio',
  command: 'npx',
  args: ['-y', 'server', '--token', 'PLANTED-4', '--api-key=PLANTED-5', '--port', '80'],
  env: { HOME: 'PLANTED-6' },
  authentication: { type: 'none' },
};
const mask = { set: true } as const;

/** The input that an editor sends when nothing was changed. */
function echo(record: ServerRecord) {
  const { id: _id, createdAt: _created, updatedAt: _updated, ...view } = toRecordView(record);
  return serverInputSchema.parse(view);
}

function problemsIn(act: () => unknown): readonly RequestProblem[] {
  try {
    act();
  } catch (cause) {
    return (cause as ToolwharfError).data.problems as readonly RequestProblem[];
  }
  return [];
}
const problemsOf = (act: () => unknown) => problemsIn(act).map(({ path }) => path);
const messagesOf = (act: () => unknown) => problemsIn(act).map(({ message }) => message);

describe('the view of a stored server', () => {
  test.each([http, program])('the view of a stored server contains none of its secrets [R17]', (record) => {
    const view = toRecordView(record);
    expect(serverRecordViewSchema.safeParse(view).error).toBeUndefined();
    expect(JSON.stringify(view)).not.toContain('PLANTED');
  });

  test('the view of a stored server shows masks for its secrets and the values of everything else', () => {
    expect(toRecordView(program)).toMatchObject({
      args: ['-y', 'server', '--token', mask, mask, '--port', '80'],
      env: { HOME: mask },
    });
    expect(toRecordView(http)).toMatchObject({
      url: 'https://tools.example.com/mcp?…',
      authentication: { token: mask },
    });
  });

  const authentications: ServerRecord['authentication'][] = [
    { type: 'api-key', key: 'PLANTED', header: 'x-api-key' },
    { type: 'basic', username: 'ada', password: 'PLANTED' },
    { type: 'oauth', clientId: 'c', clientSecret: 'PLANTED', scope: 's' },
    { type: 'oauth' },
    { type: 'none' },
  ];
  test.each(authentications)(
    'the view of a stored server masks authentication of type $type, and saving the mask retains it',
    (authentication) => {
      const record = { ...http, authentication };
      expect(JSON.stringify(toRecordView(record).authentication)).not.toContain('PLANTED');
      expect(readServerInput(echo(record), record).authentication).toEqual(authentication);
    },
  );
});

describe('saving the view of a server', () => {
  test.each([http, program])('saving the view of a server retains every secret that is still masked', (record) => {
    const { id: _id, createdAt: _created, updatedAt: _updated, ...expected } = record;
    expect(readServerInput(echo(record), record)).toEqual(expected);
  });

  test('saving the view of a server can change other settings and replace a secret', () => {
    const changed = { ...echo(http), description: 'new', authentication: { type: 'bearer', token: 'other' } as const };
    expect(readServerInput(changed, http)).toMatchObject({
      description: 'new',
      headers: { 'x-team': 'PLANTED-2' },
      authentication: { token: 'other' },
    });
  });

  test('saving the view of a server requires the secrets again if the URL or command changes [R17]', () => {
    const moved = { ...echo(http), url: 'https://evil.example/mcp' };
    expect(problemsOf(() => readServerInput(moved, http))).toEqual([
      'body.headers.x-team',
      'body.authentication.token',
    ]);
    const downgraded = { ...echo(http), url: 'http://tools.example.com/mcp', allowInsecure: true };
    expect(problemsOf(() => readServerInput(downgraded, http))).toHaveLength(2);
    const otherCommand = { ...echo(program), command: 'printenv' };
    const secrets = ['body.args.3', 'body.args.4', 'body.env.HOME'];
    expect(problemsOf(() => readServerInput(otherCommand, program))).toEqual(secrets);
    const otherArgs = { ...echo(program), args: ['-e', 'print', '--token', mask] };
    expect(problemsOf(() => readServerInput(otherArgs, program))).toEqual(['body.args.3', 'body.env.HOME']);
    const otherPlace = { ...echo(program), cwd: '/tmp/evil' };
    expect(problemsOf(() => readServerInput(otherPlace, program))).toEqual(secrets);
    const toProgram = { name: 'remote', transport: 'stdio', command: 'env', env: { 'x-team': mask } } as const;
    expect(problemsOf(() => readServerInput({ ...toProgram }, http))).toEqual(['body.env.x-team']);
  });

  test('saving the view of a server can change the path of the URL', () => {
    const moved = { ...echo(http), url: 'https://tools.example.com/v2/mcp' };
    expect(readServerInput(moved, http)).toMatchObject({ url: moved.url, authentication: { token: 'PLANTED-3' } });
  });

  test('saving the view of a server cannot retain a secret that was never stored', () => {
    const input = { ...echo(http), headers: { 'x-new': mask } };
    expect(problemsOf(() => readServerInput(input, http))).toEqual(['body.headers.x-new']);
    const added = { name: 'n', transport: 'http', url: 'https://x.example', headers: { a: mask } } as const;
    expect(problemsOf(() => readServerInput({ ...added }))).toEqual(['body.headers.a']);
    const other = { ...echo(http), authentication: { type: 'basic', username: 'a', password: mask } as const };
    expect(problemsOf(() => readServerInput(other, http))).toEqual(['body.authentication.password']);
    const proto = { ...echo(http), headers: { constructor: mask } };
    expect(problemsOf(() => readServerInput(proto as never, http))).toEqual(['body.headers.constructor']);
  });
});

describe('a reference in the input', () => {
  const values = ['${HOME}', '${HOME:-x}', '${file:/etc/passwd}', '${A:-}'];
  test.each(values)('a reference in the input such as %s is rejected in every field', (value) => {
    const remote = { name: 'n', transport: 'http', url: 'https://x.example' } as const;
    const local = { name: 'n', transport: 'stdio', command: 'x' } as const;
    const inputs = [
      { ...remote, headers: { a: value } },
      { ...remote, authentication: { type: 'bearer', token: value } },
      { ...remote, authentication: { type: 'api-key', key: value } },
      { ...remote, authentication: { type: 'basic', username: 'u', password: value } },
      { ...remote, authentication: { type: 'oauth', clientId: value } },
      { ...local, env: { a: value } },
      { ...local, args: ['a', value] },
      { ...local, command: value },
      { ...local, cwd: value },
    ];
    for (const input of [...inputs, { ...remote, url: value }])
      expect(messagesOf(() => readServerInput(serverInputSchema.parse(input)))).toContainEqual(
        expect.stringContaining('references such as'),
      );
  });

  test('a reference in the input is not recognized inside a longer text', () => {
    const input = { name: 'n', transport: 'stdio', command: 'x', env: { A: 'prefix_${HOME}' } } as const;
    expect(readServerInput({ ...input }).env).toEqual({ A: 'prefix_${HOME}' });
  });
});

test('all problems of the input are reported at once', () => {
  const input = { name: 'n', transport: 'http', command: 'x', env: { A: '${B}' } } as const;
  expect(problemsOf(() => readServerInput({ ...input })).sort()).toEqual(['body.env.A', 'body.transport']);
});
