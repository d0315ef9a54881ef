import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer as createNetServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { featuresWith, sandboxProblem, startHost } from '../support/sandbox.ts';
import { waitFor } from '../support/wait-for.ts';

describe('a server in a sandbox', () => {
  let api: TestApi;
  let folder: Awaited<ReturnType<typeof tempDir>>;
  let host: Awaited<ReturnType<typeof startHost>>;

  beforeEach(({ skip }) => skip(sandboxProblem !== undefined, sandboxProblem));

  beforeAll(async () => {
    if (sandboxProblem !== undefined) return;
    folder = await tempDir();
    host = await startHost();
    for (const name of ['home', 'home/notes', 'shown', 'changed', 'changed/inner', 'work'])
      await mkdir(folder.file(name));
    await writeFile(folder.file('home/secret.txt'), 'the secret of the home');
    await writeFile(folder.file('home/notes/one.txt'), 'a note');
    await writeFile(folder.file('shown/one.txt'), 'shown');
    const env = {
      ...{ PATH: process.env.PATH, HOME: folder.file('home'), TOOLWHARF_DATA_DIR: folder.file('data') },
      ...{ REGION: 'north', OTHER: 'not for servers', TOOLWHARF_KEY: 'k'.repeat(44) },
    };
    const sandbox = {
      mode: 'enforce',
      read: [folder.file('shown'), '~/notes'],
      write: [folder.file('changed')],
      network: ['api.example.com', '127.0.0.1', 'localhost', '169.254.169.254'],
      env: ['REGION', 'TOOLWHARF_KEY'],
    };
    api = await startApi(
      {
        servers: {
          shell: { ...fixture('shell', { TOKEN: 'token-of-shell' }), cwd: folder.file('work'), sandbox },
          other: { ...fixture('shell', { TOKEN: 'token-of-other' }), sandbox: 'enforce' },
          here: { ...fixture('shell'), cwd: folder.file('work'), sandbox: { mode: 'enforce', preset: 'files-here' } },
          limited: { ...fixture('shell'), sandbox: { mode: 'enforce', cpu: '5m', memory: 2048 } },
        },
      } as never,
      { env, features: featuresWith(host.network) },
    );
    await waitFor(async () => {
      const { body } = await api.get('/api/servers', { key: api.adminToken });
      return body.servers.every((server: { status: { state: string } }) => server.status.state === 'connected');
    });
  });
  afterAll(async () => {
    await api?.close();
    await host?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  async function run(command: string, server = 'shell') {
    const { body } = await api.post(
      `/api/tools/${server}__run/call`,
      { arguments: { command } },
      { key: api.adminToken },
    );
    return String(body.content?.[0]?.text ?? JSON.stringify(body));
  }

  /** What a program of Node prints in the sandbox. */
  const node = (script: string, server?: string) => run(`node - <<'END'\n${script}\nEND`, server);

  test('a program in a sandbox reads its own files, those of the system and those of its profile', async () => {
    expect(await run(`cat ${folder.file('shown/one.txt')} ~/notes/one.txt; head -c 4 /etc/passwd`)).toBe(
      'showna noteroot',
    );
  });

  test('a program in a sandbox does not see the home, the data directory, the gateway and files of others', async () => {
    expect(await run('cat ~/secret.txt')).toContain('No such file');
    expect(await run(`ls ${folder.file('data')}`)).not.toContain('master.key');
    expect(await run(`ls ${folder.path}`)).not.toContain('home/secret');
    expect(await run(`cat ${join(process.cwd(), 'package-lock.json')}`)).toContain('No such file');
    expect(await run('cat /etc/shadow')).toContain('No such file');
  });

  test('a program in a sandbox changes only what its profile allows', async () => {
    await run(`echo changed > ${folder.file('changed/file.txt')}`);
    expect(await readFile(folder.file('changed/file.txt'), 'utf8')).toBe('changed\n');
    expect(await run(`echo no > ${folder.file('shown/one.txt')}`)).toContain('Read-only');
    expect(await run('echo no > /usr/file.txt')).toContain('Read-only');
    await run(
      `echo private > ${folder.file('private.txt')}; echo private > /tmp/private.txt; echo private > ~/private.txt`,
    );
    expect(await readdir(folder.path)).not.toContain('private.txt');
    expect(await readdir(folder.file('home'))).not.toContain('private.txt');
    expect(await readdir('/tmp')).not.toContain('private.txt');
    await run(`echo here > ${folder.file('work/here.txt')}`, 'here');
    expect(await readFile(folder.file('work/here.txt'), 'utf8')).toBe('here\n');
  });

  test('links and renames do not lead out of what a program in a sandbox may change', async () => {
    await run(
      `ln -s ${folder.file('home/secret.txt')} ${folder.file('changed/link')}; ln -s / ${folder.file('changed/root')}`,
    );
    expect(
      await run(`cat ${folder.file('changed/link')} ${folder.file('changed/root')}${folder.file('home/secret.txt')}`),
    ).not.toContain('the secret');
    expect(await run(`mv ${folder.file('changed/file.txt')} ${folder.file('shown/moved.txt')}`)).toContain('Read-only');
    expect(await run(`ln ${folder.file('shown/one.txt')} ${folder.file('changed/hard')}; echo $?`)).not.toContain(
      'exit 0',
    );
    expect(await readFile(folder.file('shown/one.txt'), 'utf8')).toBe('shown');
  });

  test('a path of the profile that the program has replaced by a link is not followed at the next start', async () => {
    await symlink('/etc', folder.file('changed/planted'));
    const sandbox = { mode: 'enforce', read: [folder.file('changed/planted')], write: [folder.file('changed')] };
    const { body } = await api.post(
      '/api/servers',
      { name: 'planted', ...fixture('shell'), sandbox },
      { key: api.adminToken },
    );
    expect(JSON.stringify(body)).toContain('is a symbolic link in a directory that the program can change');
    await api.delete('/api/servers/planted', { key: api.adminToken });
  });

  test('a program in a sandbox gets its own variables and those that its profile names, and never those of Toolwharf or of other servers', async () => {
    const variables = await run('env; cat /proc/*/environ | tr "\\0" "\\n"');
    expect(variables).toContain('TOKEN=[redacted]');
    expect(variables).toContain('REGION=north');
    for (const hidden of ['token-of-other', 'not for servers', 'TOOLWHARF_KEY', 'TOOLWHARF_DATA_DIR'])
      expect(variables).not.toContain(hidden);
  });

  test('a program in a sandbox sees no process outside of its sandbox, and cannot signal or trace one', async () => {
    expect(await run(`ls -d /proc/${process.pid}`)).toContain('No such file');
    expect(
      await node(`try { process.kill(${process.pid}, 0); console.log('reached') } catch (e) { console.log(e.code) }`),
    ).toBe('ESRCH\n');
    const capabilities = await run('grep CapEff /proc/self/status');
    expect(capabilities).toContain('0000000000000000');
    expect(await run('unshare --user true; echo $?')).not.toBe('0\n');
  });

  test('a program in a sandbox cannot change settings of the kernel, whoever runs the gateway, nor read its secrets', async () => {
    const before = await readFile('/proc/sys/kernel/core_pattern', 'utf8');
    expect(await run(`cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern`)).toMatch(
      /Read-only|Permission denied/,
    );
    expect(await readFile('/proc/sys/kernel/core_pattern', 'utf8')).toBe(before);
    expect(await run('find /proc/sys /proc/irq /proc/bus /proc/fs -type f -writable')).toBe('');
    expect(await run('cat /proc/keys')).toMatch(/Permission denied|No such file/);
    expect(await run('ls /sys')).toContain('No such file');
  });

  test('a program in a sandbox has no keyrings of the user, no io_uring, and no terminal', async () => {
    const calls = await run(`perl - <<'END'
use Errno;
my $arm = \`uname -m\` =~ /aarch64/;
my @calls = (
  ['add_key', 248, 217, 'user', 'name', 'value', 5, -3], ['keyctl', 250, 219, 0, -3, 1],
  ['io_uring_setup', 425, 425, 4, "\\0" x 200], ['userfaultfd', 323, 282, 1],
);
for (@calls) { my ($name, $x64, $arm64, @rest) = @$_; print "$name ", syscall($arm ? $arm64 : $x64, @rest), $!{ENOSYS} ? " ENOSYS" : " $!", "\\n" }
open(my $terminal, '+<', '/dev/ptmx') or die;
my $text = 'x';
print 'TIOCSTI', ioctl($terminal, 0x5412, $text) ? ' done' : $!{ENOSYS} ? ' ENOSYS' : " $!", "\\n";
print 'tty', open(my $tty, '<', '/dev/tty') ? ' open' : $!{ENXIO} ? ' ENXIO' : " $!", "\\n";
END`);
    const filtered = ['add_key', 'keyctl', 'io_uring_setup', 'userfaultfd'].map((name) => `${name} -1 ENOSYS\n`);
    expect(calls).toBe(`${filtered.join('')}TIOCSTI ENOSYS\ntty ENXIO\n`);
  });

  test('a program in a sandbox shares no abstract socket, no shared memory and no open file with other programs', async () => {
    const name = `toolwharf-${process.pid}`;
    const abstract = createNetServer((socket) => socket.end('reached')).listen(`\0${name}`);
    await once(abstract, 'listening');
    await writeFile(`/dev/shm/${name}`, 'shared');
    try {
      expect(
        await node(
          `require('net').connect('\\0${name}').on('data', (d) => console.log('' + d)).on('error', (e) => console.log(e.code))`,
        ),
      ).toBe('ECONNREFUSED\n');
      expect(await run(`cat /dev/shm/${name}`)).toContain('No such file');
      await run('echo private > /dev/shm/from-the-sandbox');
      expect(await readdir('/dev/shm')).not.toContain('from-the-sandbox');
    } finally {
      abstract.close();
      await rm(`/dev/shm/${name}`);
    }
    const open = await run('ls -l /proc/1/fd /proc/self/fd');
    const targets = [...open.matchAll(/-> (\S+)/g)].map(([, target = '']) => target);
    expect(targets.filter((target) => !/^(socket:|pipe:|anon_inode:|\/dev\/null|\/proc\/)/.test(target))).toEqual([]);
  });

  test('a program in a sandbox cannot trace a program outside, nor mount anything', async () => {
    expect(await run(`strace -p ${process.pid}`)).toMatch(/No such process|not found/);
    expect(await run('mount -t tmpfs none /tmp; mount --bind / /tmp; umount /proc/sys; true')).toMatch(
      /denied[\s\S]*denied[\s\S]*superuser/,
    );
    expect(await run('unshare --user --map-root-user --mount true')).toMatch(/exit/);
  });

  test('a program in a sandbox reaches a host of its profile, with Node, over HTTP and through a tunnel', async () => {
    expect(await node("fetch('http://api.example.com/a').then((r) => r.text()).then(console.log)")).toBe(
      'hello from api.example.com\n',
    );
    const tunnel = `const s = require('node:net').connect(Number(new URL(process.env.HTTPS_PROXY).port), '127.0.0.1');
s.write('CONNECT api.example.com:443 HTTP/1.1\\r\\n\\r\\n');
s.once('data', () => s.write('GET /tunnel HTTP/1.1\\r\\nhost: tunnel\\r\\nconnection: close\\r\\n\\r\\n'));
s.on('data', (text) => process.stdout.write(text));`;
    expect(await node(tunnel)).toMatch(/^HTTP\/1.1 200 Connection established[\s\S]*hello from tunnel$/);
    expect(host.requests).toEqual(['GET api.example.com/a', 'GET tunnel/tunnel']);
  });

  test.each([
    ['the gateway without a key', () => `${api.url}/api/servers`],
    ['the gateway by name', () => `${api.url.replace('127.0.0.1', 'localhost')}/api/servers`],
    ['the metadata service', () => 'http://169.254.169.254/latest/meta-data'],
  ])('a program in a sandbox does not reach %s, even if its profile names the address', async (_what, url) => {
    expect(
      await node(
        `fetch('${url()}').then((r) => r.text()).then(console.log, (e) => console.log('failed', e.cause?.code))`,
      ),
    ).toMatch(/^failed|no sandbox reaches/);
    const proxied = `const { request } = require('node:http'); const p = new URL(process.env.HTTP_PROXY);
request({ host: p.hostname, port: p.port, path: '${url()}' }, (r) => { r.setEncoding('utf8').on('data', (t) => console.log(r.statusCode, t)) }).end()`;
    expect(await node(proxied)).toMatch(/^403 Blocked by the sandbox/);
  });

  test('a program in a sandbox has no exit over DNS or UDP', async () => {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address();
    const received: string[] = [];
    socket.on('message', (message) => received.push(String(message)));
    await node(
      `const s = require('dgram').createSocket('udp4'); s.send('from the sandbox', ${port}, '127.0.0.1', () => s.close())`,
    );
    expect(await node("require('dns').lookup('secret.example.com', (e) => console.log(e.code))")).toMatch(
      /EAI_AGAIN|ENOTFOUND/,
    );
    const own = createSocket('udp4');
    own.send('from the test', port, '127.0.0.1', () => own.close());
    await waitFor(() => received.length > 0);
    expect(received).toEqual(['from the test']);
    socket.close();
  });

  test('a program in a sandbox has the limits of its settings', async () => {
    const limits = await run('cat /proc/self/limits', 'limited');
    expect(limits).toMatch(/Max cpu time +300 /);
    expect(limits).toMatch(/Max data size +2147483648 /);
  });

  test('the children of a program in a sandbox end with it, also those that left its session', async () => {
    const name = `sandbox-child-${process.pid}-${Date.now()}`;
    const isRunning = async () => {
      const ids = (await readdir('/proc')).filter((id) => /^\d+$/.test(id));
      const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
      return lines.some((line) => line.includes(name));
    };
    await run(
      `env -i setsid /bin/sh -c 'exec sleep 100000 ${name}' >/dev/null 2>&1 & env -i setsid node -e 'setInterval(() => {}, 1000)' ${name} >/dev/null 2>&1 & true`,
      'other',
    );
    await waitFor(isRunning);
    await api.post('/api/servers/other/disconnect', undefined, { key: api.adminToken });
    await waitFor(async () => !(await isRunning()));
  });
});
