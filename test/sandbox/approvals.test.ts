import { mkdir, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApi, type TestApi, unasked } from '../support/api.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { featuresWith, sandboxProblem, startHost } from '../support/sandbox.ts';
import { waitFor } from '../support/wait-for.ts';

describe('a server in a sandbox, and people', () => {
  let api: TestApi;
  let folder: Awaited<ReturnType<typeof tempDir>>;
  let host: Awaited<ReturnType<typeof startHost>>;

  beforeEach(({ skip }) => skip(sandboxProblem !== undefined, sandboxProblem));

  beforeAll(async () => {
    if (sandboxProblem !== undefined) return;
    folder = await tempDir();
    host = await startHost();
    for (const name of ['home', 'notes', 'work']) await mkdir(folder.file(name));
    for (const name of ['one', 'two', 'three']) await writeFile(folder.file(`notes/${name}.txt`), name);
    const env = { PATH: process.env.PATH, HOME: folder.file('home'), TOOLWHARF_DATA_DIR: folder.file('data') };
    api = await startApi(
      {
        servers: {
          shell: { ...fixture('shell'), sandbox: 'enforce' },
          unlimited: { ...fixture('shell', { NOTES: folder.file('notes') }), cwd: folder.file('work') },
          learning: { ...fixture('shell'), sandbox: 'learn' },
          remote: { url: 'http://127.0.0.1:9/mcp', enabled: false },
        },
      } as never,
      { env, features: featuresWith(host.network) },
    );
    await isConnected('shell');
    await isConnected('unlimited');
    await isConnected('learning');
  });
  afterAll(async () => {
    await api?.close();
    await host?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  const admin = () => ({ key: api.adminToken });
  const isConnected = (server: string) =>
    waitFor(async () => (await api.get(`/api/servers/${server}`, admin())).body.status.state === 'connected');
  const sandboxOf = async (server: string) => (await api.get(`/api/servers/${server}/sandbox`, admin())).body;
  const start = (command: string, server = 'shell') =>
    api.post(`/api/tools/${server}__run/call`, { arguments: { command } }, admin());
  const texts = ({ body }: Awaited<ReturnType<typeof start>>) =>
    body.content.map(({ text }: { text: string }) => text).join('\n');
  const fetching = (name: string) =>
    `node -e "fetch('http://${name}/').then(async (r) => { console.log(await r.text()); process.exitCode = r.ok ? 0 : 1 }, () => process.exit(1))"`;
  const pending = () =>
    waitFor(async () => (await api.get('/api/approvals?status=pending', admin())).body.approvals[0]);
  const answer = (id: string, body: object) => api.post(`/api/approvals/${id}/answer`, body, admin());

  test('a host outside of the profile waits for a person, who sees the call and the host, and allows it once', async () => {
    const call = start(fetching('once.example.com'));
    const approval = await pending();
    expect(approval).toMatchObject({
      ...{ server: 'shell', originalName: 'run', access: 'once.example.com' },
      arguments: { command: fetching('once.example.com') },
      reason: 'the server wants to reach once.example.com, which its sandbox profile does not allow',
    });
    await answer(approval.id, { answer: 'allow' });
    expect(texts(await call)).toBe('hello from once.example.com\n');
    const again = start(fetching('once.example.com'));
    const { id } = await pending();
    await answer(id, { answer: 'deny', reason: 'Not today' });
    const { body } = await again;
    expect(body.isError).toBe(true);
    expect(texts({ body } as never)).toContain(
      "The sandbox of server 'shell' did not let it reach once.example.com: denied by Administrator (admin): Not today",
    );
    expect((await sandboxOf('shell')).blocked[0]).toMatchObject({
      ...{ list: 'network', entry: 'once.example.com', tool: 'run' },
    });
  });

  test('a host that a person allows for ever is a part of the profile, and no rule for calls', async () => {
    const call = start(fetching('always.example.com'));
    const { id } = await pending();
    await answer(id, { answer: 'allow', scope: 'server', audience: 'everyone' });
    expect(texts(await call)).toContain('hello');
    expect((await sandboxOf('shell')).accepted.profile).toEqual({
      read: [],
      write: [],
      network: ['always.example.com'],
    });
    expect((await api.get('/api/rules', admin())).body.rules).toEqual([]);
    expect(texts(await start(fetching('always.example.com')))).toContain('hello');
  });

  test('a host that a person denies for ever is not asked for again', async () => {
    const call = start(fetching('never.example.com'));
    const { id } = await pending();
    await answer(id, { answer: 'deny', scope: 'server', audience: 'everyone' });
    await call;
    expect((await sandboxOf('shell')).denied).toEqual(['never.example.com']);
    expect((await start(fetching('never.example.com'))).body.isError).toBe(true);
    expect((await api.get('/api/approvals?status=pending', admin())).body.approvals).toEqual([]);
  });

  test('a call that fails because of a file names it, and a person allows the file for the next start', async () => {
    const file = folder.file('notes/one.txt');
    const failed = await start(`cat ${file}`);
    expect(texts(failed)).toContain(
      `The sandbox of server 'shell' does not show it ${file}: its profile does not name it. An administrator can allow it`,
    );
    const { blocked, accepted } = await sandboxOf('shell');
    expect(blocked[0]).toMatchObject({ list: 'read', entry: file, tool: 'run' });
    const body = { ...accepted.profile, read: [file] };
    expect((await api.put('/api/servers/shell/sandbox/profile', body, admin())).status).toBe(200);
    expect(texts(await start(`cat ${file}`))).toBe('one');
    expect(texts(await start(`echo two > ${file}`))).toContain(`does not let it change ${file}`);
  });

  test('a server without a sandbox learns, and the accepted profile limits it from then on', async () => {
    expect(await sandboxOf('unlimited')).toMatchObject({ mode: 'off' });
    const { body: learning } = await api.post('/api/servers/unlimited/sandbox/learning', { enabled: true }, admin());
    expect(learning).toMatchObject({ mode: 'learn', learningSince: expect.any(String) });
    await isConnected('unlimited');
    await start(`cat ${folder.file('notes')}/*; echo done > ${folder.file('work/result.txt')}`, 'unlimited');
    expect(texts(await start(fetching('learned.example.com'), 'unlimited'))).toContain('hello');
    const { proposal, watchesFiles } = await sandboxOf('unlimited');
    const added = (list: string, entry: string) => ({ list, entry, change: 'added', causes: ['run'] });
    const expected = [added('network', 'learned.example.com')];
    if (watchesFiles) expected.push(added('read', folder.file('notes')), added('write', folder.file('work')));
    expect(proposal.entries).toEqual(expect.arrayContaining(expected));
    const lists = { read: [folder.file('notes')], write: [folder.file('work')], network: ['learned.example.com'] };
    const { body: accepted } = await api.put('/api/servers/unlimited/sandbox/profile', lists, admin());
    expect(accepted).toMatchObject({
      mode: 'enforce',
      accepted: { profile: lists, by: 'Administrator', isStale: false },
    });
    expect(accepted.learningSince).toBeUndefined();
    await isConnected('unlimited');
    expect(
      texts(await start(`cat ${folder.file('notes/one.txt')} ${folder.file('work/result.txt')}`, 'unlimited')),
    ).toBe('onedone\n');
    expect(texts(await start('ls ~; cat /etc/shadow', 'unlimited'))).toContain('No such file');
  });

  test('a server whose settings say learn learns until its profile is accepted', async () => {
    expect(texts(await start(fetching('settings.example.com'), 'learning'))).toContain('hello');
    const { learningSince, proposal } = await sandboxOf('learning');
    expect(learningSince).toEqual(expect.any(String));
    const host = { list: 'network', entry: 'settings.example.com', change: 'added', causes: ['run'] };
    expect(proposal.entries).toContainEqual(host);
    const { body } = await api.put(
      '/api/servers/learning/sandbox/profile',
      { network: ['settings.example.com'] },
      admin(),
    );
    expect(body).toMatchObject({ mode: 'enforce' });
    expect(body.proposal).toBeUndefined();
    await isConnected('learning');
    expect(texts(await start(`${fetching('settings.example.com')}; ls ~`, 'learning'))).toContain('hello');
  });

  test('only servers with programs have a sandbox', async () => {
    expect((await api.get('/api/servers/remote/sandbox', admin())).status).toBe(404);
    expect(
      (await api.get('/api/sandboxes', admin())).body.servers.map(({ server }: { server: string }) => server),
    ).toEqual(['shell', 'unlimited', 'learning']);
    expect(unasked(({ group }) => group === 'sandbox')).toEqual([]);
  });
});
