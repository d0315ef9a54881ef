import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { createProtocolCache } from '../../packages/toolwharf/connections/protocol-cache.ts';
import { createTestConnection } from '../support/connect.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { waitFor } from '../support/wait-for.ts';

describe.each(['modern', 'legacy', 'silent-on-unknown'])('a stdio server that starts slowly: %s', (server) => {
  const era = server === 'modern' ? 'modern' : 'legacy';

  test('a stdio server that starts slowly connects in its era, also after a restart, and no process gets messages of both eras [A3, M16]', async () => {
    await using directory = await tempDir();
    const RECORD_FILE = directory.file('messages');
    const program = fixture('late', { SERVER: server, START_MS: '4000', RECORD_FILE });
    await using connection = createTestConnection(program);
    await connection.connect();
    expect(connection.status).toMatchObject({ state: 'connected', era });
    const { pid } = connection.status;
    process.kill(Number(pid), 'SIGKILL');
    await waitFor(() => connection.status.state === 'connected' && connection.status.pid !== pid, {
      what: 'reconnect',
    });
    expect(connection.status.era).toBe(era);
    const answered = new Map<string, string[]>();
    for (const line of (await readFile(RECORD_FILE, 'utf8')).trim().split('\n')) {
      const [process = '', method = ''] = line.split(' ');
      answered.set(process, [...(answered.get(process) ?? []), method]);
    }
    if (server === 'legacy') return;
    for (const methods of answered.values())
      expect(methods.includes('server/discover') && methods.includes('initialize')).toBe(false);
  });
});

test('a silent stdio server that exits during the era probe is reported with its exit code', async () => {
  const program = { command: process.execPath, args: ['-e', 'setTimeout(() => process.exit(3), 3_000)'], env: {} };
  await using connection = createTestConnection(program);
  await expect(connection.connect()).rejects.toThrow('exited with code 3');
});

test('a server with a configured era does not change the cached era of another server at the same address', async () => {
  const protocolCache = createProtocolCache();
  const program = fixture('sdk');
  await using pinned = createTestConnection(program, { name: 'one', protocol: 'legacy' }, { protocolCache });
  await pinned.connect();
  await using twin = createTestConnection(program, { name: 'two' }, { protocolCache });
  await twin.connect();
  expect([pinned.status.era, twin.status.era]).toEqual(['legacy', 'modern']);
});

test('a server that never answers is reported with helpful settings and with its own output only', async () => {
  const noisy = {
    ...fixture('hang-on-start'),
    args: ['--eval', "console.error('started as ' + process.pid); setInterval(() => {}, 1000)"],
  };
  await using connection = createTestConnection(noisy, { timeoutMs: 6_000 });
  for (let attempt = 0; attempt < 2; attempt++) {
    const failure = (await connection.connect().catch((cause) => cause)) as Error;
    expect(failure.message).toContain('No answer within 6000 ms');
    expect(failure.message).toContain('protocol: legacy or modern');
    expect(failure.message.match(/started as/g)).toHaveLength(1);
  }
});
