import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startGatewayHere } from '../support/gateway.ts';
import { cliIn } from '../support/run-cli.ts';
import { sandboxProblem } from '../support/sandbox.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);
const { run, config: configFile } = cli;

interface Report {
  readonly ok: boolean;
  readonly findings: readonly {
    readonly subject: string;
    readonly ok: boolean;
    readonly message: string;
    fix?: string;
  }[];
}

async function examine(args: readonly string[], env: Record<string, string> = {}): Promise<Report & { code: number }> {
  const { code, stdout } = await run(['doctor', '--json', ...args], { env });
  return { code, ...(JSON.parse(stdout) as Report) };
}

describe('toolwharf doctor', () => {
  test('toolwharf doctor reports each good check and ends with exit code 0', async () => {
    const config = await configFile({
      gateway: { port: 0 },
      servers: {
        files: { ...fixture('legacy'), env: { TOKEN: '${TOKEN}' } },
        off: { command: 'nowhere', enabled: false },
      },
    });
    const { code, stdout, stderr } = await run(['doctor', '-c', config], { env: { TOKEN: 'quiet' } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trimEnd().split('\n')).toEqual([
      `✔ node  ${process.version}`,
      `✔ data directory  ${directory.file('data')} (created on first start)`,
      `✔ master key  ${directory.file('data/master.key')} (created on first start; back it up)`,
      `✔ configuration  ${config}`,
      '✔ gateway  not running; will use any free port',
      `✔ command of files  ${process.execPath}`,
      '✔ TOKEN for files  set',
      '✔ server files  connected, 17 tools',
      'No problems found',
    ]);
    expect(stdout).not.toContain('quiet');
  });

  test('toolwharf doctor says how to fix each problem and ends with exit code 1', async () => {
    await using blocker = await listening();
    const data = directory.file('open');
    await mkdir(data, { mode: 0o755 });
    await chmod(data, 0o755);
    await writeFile(directory.file('open/master.key'), 'A'.repeat(43));
    await chmod(directory.file('open/master.key'), 0o644);
    const config = await configFile({
      gateway: { port: blocker.port, webhook: { url: 'https://x.y', secret: '${HOOK_SECRET}' } },
      servers: {
        gone: { command: 'no-such-program-here', retryAttempts: 0 },
        keyed: {
          url: 'http://127.0.0.1:9/mcp',
          retryAttempts: 0,
          authentication: { type: 'bearer', token: '${file:/no/such/file}' },
        },
      },
      profiles: { team: { servers: ['gon'] } },
    });
    const { code, ok, findings } = await examine(['-c', config, '--data-dir', data]);
    expect({ code, ok }).toEqual({ code: 1, ok: false });
    const bad = findings.filter((finding) => !finding.ok);
    expect(bad.map(({ subject }) => subject)).toEqual([
      'data directory',
      'master key',
      'configuration',
      'gateway',
      'command of gone',
      '/no/such/file for keyed',
      'HOOK_SECRET for the gateway',
      'server gone',
      'server keyed',
    ]);
    expect(bad.find(({ subject }) => subject === 'data directory')?.fix).toBe(`run: chmod 700 ${data}`);
    expect(bad.find(({ subject }) => subject === 'master key')?.message).toContain('can be read by others (mode 644)');
    expect(bad.find(({ subject }) => subject === 'configuration')?.message).toContain("did you mean 'gone'?");
    expect(bad.find(({ subject }) => subject === 'gateway')?.message).toContain('another program uses it');
  });

  test('toolwharf doctor stops at an unreadable configuration, with file and line', async () => {
    const config = await configFile('servers:\n  a:\n    comand: x\n');
    const { code, findings } = await examine(['-c', config]);
    expect(code).toBe(1);
    expect(findings.filter((finding) => !finding.ok).map(({ message }) => message)).toEqual([
      expect.stringContaining(`${config}:2:3  servers.a  server 'a' needs 'command'`),
      expect.stringContaining(`${config}:3:5  servers.a.comand  unknown key`),
    ]);
    expect(findings.some(({ subject }) => subject.startsWith('server '))).toBe(false);
  });

  test('toolwharf doctor checks sandboxes where a server or the default asks for one, and names the missing package', async () => {
    const tools = directory.file('without-bubblewrap');
    await mkdir(tools);
    const program = { command: process.execPath, args: ['--version'], retryAttempts: 0 };
    const servers = {
      notes: { ...program, sandbox: 'enforce' },
      free: { ...program, sandbox: 'off' },
      new: { ...program, sandbox: 'learn', enabled: false },
      remote: { url: 'http://127.0.0.1:9/mcp', retryAttempts: 0 },
    };
    const sandboxes = async (config: string, env: Record<string, string>) =>
      (await examine(['-c', config], env)).findings.filter(({ subject }) => subject === 'sandboxes');
    const config = await configFile({ gateway: { port: 0 }, servers });
    const missing =
      process.platform === 'linux'
        ? 'bubblewrap is not installed: install the package bubblewrap'
        : `sandboxes need Linux, and this is ${process.platform}`;
    expect(await sandboxes(config, { PATH: tools })).toEqual([
      { subject: 'sandboxes', ok: false, message: `needed by notes: ${missing}` },
    ]);
    {
      const data = directory.file('running');
      await using _gateway = await startGatewayHere(cli, data, ['-c', config], { env: { PATH: tools } });
      const { findings } = await examine(['-c', config, '--data-dir', data]);
      expect(findings.filter(({ subject }) => subject === 'sandboxes')).toEqual([
        { subject: 'sandboxes', ok: false, message: `needed by notes: ${missing}` },
      ]);
    }
    const byDefault = await configFile({ gateway: { port: 0, sandbox: { default: 'learn' } }, servers: {} });
    expect(await sandboxes(byDefault, { PATH: tools })).toEqual([
      { subject: 'sandboxes', ok: false, message: `needed by gateway.sandbox.default: ${missing}` },
    ]);
    expect(await sandboxes(await configFile({ gateway: { port: 0 }, servers: {} }), { PATH: tools })).toEqual([]);
    if (sandboxProblem !== undefined) return;
    await symlink('/usr/bin/bwrap', join(tools, 'bwrap'));
    await symlink('/usr/bin/true', join(tools, 'true'));
    expect(await sandboxes(byDefault, { PATH: tools })).toEqual([
      { subject: 'sandboxes', ok: true, message: 'can be created, for gateway.sandbox.default' },
      {
        subject: 'sandboxes',
        ok: false,
        message: 'strace is not installed, so that only hosts are learned: gateway.sandbox.default',
        fix: 'install the package strace',
      },
    ]);
  });

  test('toolwharf doctor finds a data directory that is a file and a key that is too short', async () => {
    const file = await configFile('servers: {}');
    const { findings } = await examine(['-c', file, '--data-dir', file], { TOOLWHARF_KEY: 'short' });
    expect(findings.filter((finding) => !finding.ok)).toEqual([
      expect.objectContaining({ subject: 'data directory', message: `${file} is not a directory` }),
      expect.objectContaining({ subject: 'master key', fix: 'create one with: openssl rand -base64 32' }),
    ]);
  });
});

async function listening(): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}
