import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cliProgram } from '../support/cli-program.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startGatewayHere, type TestGateway } from '../support/gateway.ts';
import { cliIn, compileCache } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);
let gateway: TestGateway;
beforeAll(async () => {
  const ask = (approvers: string) => ({ approval: { mode: 'always-ask', approvers } });
  const config = await cli.config({
    servers: { s: fixture('legacy'), shifting: fixture('changing') },
    profiles: { strict: ask('admins'), client: ask('client') },
  });
  gateway = await startGatewayHere(cli, directory.file('data'), ['-c', config]);
  await waitFor(() => ['✔ s', '✔ shifting'].every((line) => gateway.stderr().includes(line)), { what: 'the servers' });
  await gateway.api('POST', '/api/tools/mcp_shifting_mutate/call', { arguments: {} });
  const changed = async () => (await get<{ changed?: string }>('/api/tools/mcp_shifting_target')).changed;
  await waitFor(changed, { what: 'the change' });
});
afterAll(() => gateway[Symbol.asyncDispose]());

const get = async <Body>(path: string) => (await gateway.api('GET', path)).body as Body;
const pending = () => get<{ approvals: { id: string; caller: { name: string } }[] }>('/api/approvals?status=pending');

async function createKey(name: string, profile: string): Promise<string> {
  const { stdout } = await cli.run(['keys', 'create', name, '--profile', profile]);
  return stdout.trim();
}

/** The approval that the key with this name waits for. */
const approvalOf = (name: string) =>
  waitFor(async () => (await pending()).approvals.find(({ caller }) => caller.name === name)?.id, {
    what: `the approval of ${name}`,
  }) as Promise<string>;

async function expectNothingGained(id: string): Promise<void> {
  expect(await get(`/api/approvals/${id}`)).toMatchObject({ status: 'pending' });
  expect(await get('/api/rules')).toEqual({ rules: [] });
  expect(await get('/api/tools/mcp_shifting_target')).toMatchObject({ changed: 'ask' });
  await gateway.api('POST', `/api/approvals/${id}/answer`, { answer: 'deny' });
}

const calls = [
  ['a call', 'mcp_s_add', { a: 1, b: 2 }],
  ['a call of a changed definition', 'mcp_shifting_target', { a: '1', b: '2' }],
] as const;

describe.each(calls)('%s, answered with toolwharf approvals', (_what, tool, args) => {
  test('the key that made it cannot approve it, edit it, create a rule or accept the definition, nor can another key', async () => {
    const names = [`own ${tool}`, `other ${tool}`] as const;
    const [key, other] = [await createKey(names[0], 'strict'), await createKey(names[1], 'client')];
    const calling = fetch(`${gateway.url}/api/tools/${tool}/call`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ arguments: args }),
    });
    const id = await approvalOf(names[0]);
    const commands = [
      ['approvals', 'allow', id],
      ['approvals', 'allow', id, '--args', JSON.stringify(args)],
      ['approvals', 'allow', id, '--scope', 'tool'],
      ['approvals', 'allow', id, '--scope', 'server', '--audience', 'everyone'],
      ['approvals', 'deny', id],
      ['pins', 'accept', 'mcp_shifting_target'],
      ['rules'],
    ];
    for (const TOOLWHARF_API_KEY of [key, other])
      for (const command of commands) {
        const { code } = await cli.run([...command, '--url', gateway.url], { env: { TOOLWHARF_API_KEY } });
        expect(code, command.join(' ')).not.toBe(0);
      }
    await expectNothingGained(id);
    expect((await calling).status).toBe(403);
  });
});

describe.each(['strict', 'client'] as const)('a client of toolwharf stdio with a key of the profile %s', (profile) => {
  test.each(calls)(
    '%s is not approved by an answer that reaches further than its profile',
    async (_what, tool, args) => {
      const name = `stdio ${profile} ${tool}`;
      const asked: unknown[] = [];
      const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
      const accept = async ({ params }: { params: { message?: string } }) => {
        asked.push(params.message);
        return { action: 'accept', content: { answer: 'server' } } as never;
      };
      client.setRequestHandler('elicitation/create', accept as never);
      const env = {
        PATH: process.env.PATH ?? '',
        HOME: directory.path,
        TOOLWHARF_DATA_DIR: directory.file('data'),
        TOOLWHARF_API_KEY: await createKey(name, profile),
        ...compileCache,
      };
      const program = { command: process.execPath, args: [cliProgram, 'stdio', '--profile', profile] };
      await client.connect(new StdioClientTransport({ ...program, cwd: directory.path, env, stderr: 'ignore' }));
      const exposed = tool === 'mcp_s_add' ? 's__add' : 'shifting__target';
      const calling = client.callTool({ name: exposed, arguments: args });
      const isAsked = profile === 'client' && tool === 'mcp_s_add';
      if (!isAsked) await expectNothingGained(await approvalOf(name));
      expect(JSON.stringify(await calling)).toContain('denied');
      expect(asked).toHaveLength(isAsked ? 1 : 0);
      expect(await get('/api/rules')).toEqual({ rules: [] });
      await client.close();
    },
  );
});
