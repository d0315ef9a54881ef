import { spawn } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dataDirectory } from './data-directory.ts';
import { defaultConfig, defaultServers } from './default-servers.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'toolwharf-default-'));
});
afterEach(() => rm(directory, { recursive: true }));

describe('the default servers [B4]', () => {
  test('the default servers are github, brave and filesystem, and those without their token are disabled', async () => {
    const servers = await defaultServers({ env: {}, dataDir: directory });
    expect(servers.map(({ name, enabled, required }) => [name, enabled, required])).toEqual([
      ['github', false, false],
      ['brave', false, false],
      ['filesystem', true, false],
    ]);
  });

  test('the default servers are enabled when their tokens are set, and the tokens stay references', async () => {
    const env = { GITHUB_PERSONAL_ACCESS_TOKEN: 'hunter2', BRAVE_API_KEY: 'hunter2' };
    const servers = await defaultServers({ env, dataDir: directory });
    expect(servers).toMatchObject([
      {
        enabled: true,
        target: {
          url: 'https://api.githubcopilot.com/mcp/',
          authentication: { type: 'bearer', token: '${GITHUB_PERSONAL_ACCESS_TOKEN}' },
        },
      },
      { enabled: true, target: { env: { BRAVE_API_KEY: '${BRAVE_API_KEY}' } } },
      { enabled: true },
    ]);
    expect(JSON.stringify(servers)).not.toContain('hunter2');
    const [github] = await defaultServers({ env: { ...env, GITHUB_TOKEN: 'x' }, dataDir: directory });
    expect(github?.target).toMatchObject({ authentication: { token: '${GITHUB_TOKEN}' } });
  });

  test('the default servers have their versions pinned', async () => {
    const [, brave] = await defaultServers({ env: {}, dataDir: directory });
    expect(brave?.target).toMatchObject({
      command: 'npx',
      args: ['-y', expect.stringMatching(/^@brave\/brave-search-mcp-server@\d+\.\d+\.\d+$/)],
    });
  });

  test('the default servers are a complete configuration that only gateway overrides can change', async () => {
    const env = {
      TOOLWHARF__TOOLBOX__NAMING: 'plain',
      TOOLWHARF__SERVERS__X__TIMEOUT: '1s',
      TOOLWHARF__GATEWAY__PORT: '0',
    };
    const config = await defaultConfig({ env, dataDir: directory });
    expect(config).toMatchObject({ dialect: 'native', toolbox: { naming: 'mcp' }, gateway: { port: 0 } });
    expect(config.servers).toHaveLength(3);
  });

  test('the default servers create the file directory with access for its owner only, unless it exists', async () => {
    const dataDir = join(directory, 'new', 'data');
    await defaultServers({ env: {}, dataDir });
    await defaultServers({ env: {}, dataDir });
    const { mode } = await stat(join(dataDir, 'files'));
    expect(mode & 0o777).toBe(0o700);
  });

  test('the default servers report a file directory that cannot be created', async () => {
    await writeFile(join(directory, 'files'), 'in the way');
    await expect(defaultServers({ env: {}, dataDir: directory })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(join(directory, 'files')),
    });
  });

  test('the default servers include a filesystem server that can read its own directory only', async () => {
    const servers = await defaultServers({ env: {}, dataDir: directory });
    const target = servers.find((server) => server.name === 'filesystem')?.target;
    if (target?.transport !== 'stdio') return expect.fail('it is not a program');
    await writeFile(join(directory, 'files', 'inside.txt'), 'inside');
    await writeFile(join(directory, 'outside.txt'), 'outside');
    const read = await talkTo(target.command, target.args);
    try {
      await expect(read(join(directory, 'files', 'inside.txt'))).resolves.toMatch(/inside/);
      await expect(read(join(directory, 'outside.txt'))).resolves.toMatch(/denied/i);
    } finally {
      await read.close();
    }
  });
});

describe('the data directory', () => {
  test('the data directory is taken from the environment, or else from the convention of the platform', () => {
    expect(dataDirectory({ TOOLWHARF_DATA_DIR: '/srv/toolwharf' })).toBe('/srv/toolwharf');
    expect(dataDirectory({ HOME: '/home/ada' }, 'linux')).toBe('/home/ada/.local/share/toolwharf');
    expect(dataDirectory({ HOME: '/home/ada', XDG_DATA_HOME: '/data' }, 'linux')).toBe('/data/toolwharf');
    expect(dataDirectory({ HOME: '/Users/ada' }, 'darwin')).toBe('/Users/ada/Library/Application Support/Toolwharf');
    expect(dataDirectory({ LOCALAPPDATA: '/AppData' }, 'win32')).toBe(join('/AppData', 'Toolwharf'));
    expect(dataDirectory({}, 'linux')).toBe(join(homedir(), '.local', 'share', 'toolwharf'));
  });
});

/** A minimal MCP client over a pipe that reads a file. */
async function talkTo(command: string, args: readonly string[]) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map<number, (message: unknown) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as { readonly id?: number };
    if (message.id !== undefined) waiting.get(message.id)?.(message);
  });
  let last = 0;
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = (method: string, params: object) =>
    new Promise<unknown>((done) => {
      waiting.set(++last, done);
      send({ id: last, method, params });
    });
  const clientInfo = { name: 'test', version: '0' };
  await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  send({ method: 'notifications/initialized' });
  const read = async (path: string) =>
    JSON.stringify(await request('tools/call', { name: 'read_text_file', arguments: { path } }));
  const close = () =>
    new Promise<void>((done) => {
      child.once('exit', () => done());
      child.kill();
    });
  return Object.assign(read, { close });
}
