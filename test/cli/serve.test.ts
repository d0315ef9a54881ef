import { existsSync } from 'node:fs';
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startGateway, startGatewayHere } from '../support/gateway.ts';
import { descendantsOf, isAlive } from '../support/processes.ts';
import { cliIn } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);
const { run, config: configFile } = cli;
let folders = 0;
const newData = () => directory.file(`data-${++folders}`);

const basic = await configFile({ servers: { files: fixture('legacy') } });

describe('toolwharf serve', () => {
  test('a data directory that other users can write to is reported with its remedy', async () => {
    const data = newData();
    await mkdir(data);
    await chmod(data, 0o777);
    {
      await using gateway = await startGatewayHere(cli, data, ['-c', basic]);
      expect(gateway.stderr()).toContain(`can write to the data directory ${data} (mode 777)`);
      expect(gateway.stderr()).toContain(`chmod 700 ${data}`);
    }
    await chmod(data, 0o700);
    await using gateway = await startGatewayHere(cli, data, ['-c', basic]);
    expect(gateway.stderr()).not.toContain('data directory');
  });

  test('toolwharf serve prints its address on stdout, the rest on stderr, and writes gateway.json', async () => {
    const data = newData();
    const config = await configFile({ servers: { files: fixture('legacy'), gone: { command: 'no-such-program' } } });
    await using gateway = await startGateway(cli, data, ['-c', config]);
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    await waitFor(() => /✔ files {2}connected, 17 tools\n/.test(gateway.stderr()), {
      what: 'the state of files',
    });
    await waitFor(() => /^WARNING: gone {2}error: Command not found/m.test(gateway.stderr()), {
      what: 'the state of gone',
    });
    expect((await stat(`${data}/gateway.json`)).mode & 0o777).toBe(0o600);
    const processes = descendantsOf(gateway.pid);
    expect(processes.length).toBeGreaterThan(0);

    const { code, stdout, stderr } = await gateway.stop();
    expect({ code, stdout }).toEqual({ code: 143, stdout: `${gateway.url}\n` });
    expect(stderr).toContain(`MCP endpoint  ${gateway.url}/mcp`);
    expect(stderr).toContain(`toolwharf --data-dir ${data} connect claude-code`);
    expect(stderr.match(/WARNING/g)).toHaveLength(1);
    expect(existsSync(`${data}/gateway.json`)).toBe(false);
    await waitFor(() => !processes.some(isAlive), { what: 'the end of its servers' });
  });

  test('toolwharf serve can log one JSON object per line', async () => {
    const gateway = await startGatewayHere(cli, newData(), [
      '-c',
      basic,
      '--log-format',
      'json',
      '--log-level',
      'debug',
    ]);
    await waitFor(() => gateway.stderr().includes('"server.state"'), { what: 'the state of a server' });
    const { stderr } = await gateway.stop('SIGINT');
    const entries = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { time: string; level: string; event: string; message: string });
    expect(entries.every(({ time, level, message }) => time && level && message)).toBe(true);
    expect(entries.find(({ event }) => event === 'gateway.started')).toMatchObject({
      url: gateway.url,
      mcp: `${gateway.url}/mcp`,
    });
    expect(entries.find(({ event }) => event === 'server.state')).toMatchObject({
      server: 'files',
      state: 'connected',
    });
    expect(entries.at(-1)?.event).toBe('gateway.stopping');
  });

  test('a failed server has the level warning in the JSON log [A6, N7]', async () => {
    const config = await configFile({ servers: { gone: { command: 'no-such-program' } } });
    const gateway = await startGatewayHere(cli, newData(), ['-c', config, '--log-format', 'json']);
    await waitFor(() => gateway.stderr().includes('"server.state"'), { what: 'the state of a server' });
    const { stderr } = await gateway.stop();
    const entries = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string });
    expect(entries.find(({ event }) => event === 'server.state')).toMatchObject({
      level: 'warning',
      server: 'gone',
      state: 'error',
      reason: expect.stringContaining('Command not found'),
    });
  });

  test('a failed start is logged as JSON too', async () => {
    const args = ['serve', '--data-dir', newData(), '-c', 'missing.yaml', '--log-format', 'json'];
    const { code, stderr } = await run(args);
    expect(code).toBe(3);
    expect(JSON.parse(stderr)).toMatchObject({
      level: 'error',
      event: 'gateway.failed-to-start',
      code: 'CONFIG_INVALID',
    });
  });

  test('toolwharf serve applies changes of its configuration file [M15]', async () => {
    const config = await configFile({ servers: {} });
    await using gateway = await startGatewayHere(cli, newData(), ['-c', config]);
    await writeFile(config, JSON.stringify({ servers: { late: fixture('legacy') } }));
    await waitFor(() => /✔ late {2}connected/.test(gateway.stderr()), { what: 'the new server' });
    await writeFile(config, '{"servers": [');
    await waitFor(() => /ERROR: The changed configuration was not applied/.test(gateway.stderr()), {
      what: 'the refusal',
    });
    expect((await gateway.api('GET', '/api/servers/late')).status).toBe(200);
  });

  test('a running call may finish after the first stop signal', async () => {
    const config = await configFile({ servers: { gated: fixture('gated') } });
    const gateway = await startGateway(cli, newData(), ['-c', config]);
    await waitFor(() => gateway.stderr().includes('✔ gated'), { what: 'the server' });
    const path = directory.file('passed');
    const call = gateway.api('POST', '/api/tools/mcp_gated_pass/call', { arguments: { path } });
    await waitFor(async () => {
      const { body } = await gateway.api('GET', '/api/health');
      return (body as { calls: { running: number } }).calls.running === 1;
    });
    const stopped = gateway.stop('SIGINT');
    await waitFor(() => gateway.stderr().includes('Stopping'), { what: 'the signal' });
    await writeFile(path, '');
    expect(await call).toMatchObject({ status: 200, body: { text: 'passed' } });
    expect((await stopped).code).toBe(130);
  });

  test('a second signal ends the gateway at once', async () => {
    const config = await configFile({ servers: { files: fixture('legacy') }, gateway: { shutdown: '10m' } });
    const gateway = await startGateway(cli, newData(), ['-c', config]);
    await waitFor(() => gateway.stderr().includes('✔ files'), { what: 'the server' });
    const call = gateway
      .api('POST', '/api/tools/mcp_files_sleep/call', { arguments: { ms: 600_000 } })
      .catch(() => 'cut');
    await waitFor(async () => {
      const { body } = await gateway.api('GET', '/api/health');
      return (body as { calls: { running: number } }).calls.running === 1;
    });
    const stopped = gateway.stop();
    await waitFor(() => gateway.stderr().includes('Stopping'), { what: 'the first signal' });
    process.kill(gateway.pid, 'SIGTERM');
    expect((await stopped).code).toBe(143);
    expect(await call).toBe('cut');
  });

  test('an unreachable required server stops the start with the reason [M9]', async () => {
    const config = await configFile({
      servers: { gone: { command: 'no-such-program', required: true, retryAttempts: 0 } },
    });
    const data = newData();
    const { code, stdout, stderr } = await run(['serve', '--port', '0', '--data-dir', data, '-c', config]);
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain('no-such-program');
    expect(existsSync(`${data}/gateway.json`)).toBe(false);
  });

  test('a port that is in use is reported', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const args = ['serve', '--port', String(port), '--data-dir', newData(), '-c', basic];
    const { code, stdout, stderr } = await run(args);
    taken.close();
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toBe(`ERROR: Port ${port} on 127.0.0.1 is taken: choose another with --port\n`);
  });

  test('a data directory has at most one gateway', async () => {
    const data = newData();
    await using gateway = await startGatewayHere(cli, data, ['-c', basic]);
    const { code, stderr } = await run(['serve', '--port', '0', '--data-dir', data, '-c', basic]);
    expect(code).toBe(4);
    expect(stderr).toContain(`A gateway already runs for ${data} at ${gateway.url} (process ${gateway.pid})`);
  });

  test('a stale gateway.json of a killed gateway is ignored', async () => {
    const data = newData();
    const first = await startGateway(cli, data, ['-c', basic]);
    await first.stop('SIGKILL');
    expect(existsSync(`${data}/gateway.json`)).toBe(true);
    expect(await run(['approvals', '--data-dir', data])).toMatchObject({ code: 4 });
    expect(await run(['keys', '--data-dir', data])).toMatchObject({ source: `Using ${data} without a gateway` });
    await using second = await startGatewayHere(cli, data, ['-c', basic]);
    expect(await run(['approvals', '--data-dir', data])).toMatchObject({ code: 0 });
    expect(second.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  test.each([
    [['--port', '65536'], 2, '--port must be a whole number from 0 to 65535'],
    [['--port', 'x'], 2, '--port must be a whole number'],
    [['--log-format', 'xml'], 2, 'Allowed choices are text, json'],
    [['--database', 'mysql://x'], 2, 'must be a URL such as postgres://'],
    [['--database', 'postgres://nobody@127.0.0.1:9/none'], 4, 'STORAGE_UNAVAILABLE'],
    [['-c', 'missing.yaml'], 3, 'does not exist'],
  ])('toolwharf serve %j ends with exit code %i', async (args, expected, message) => {
    const { code, stdout, stderr } = await run(['serve', '--data-dir', newData(), ...args]);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toContain(message);
  });
});
