import { expect, test } from 'vitest';
import type { Connection } from '../connections/connection.ts';
import type { ConnectionStatus } from '../connections/status.ts';
import { createWaitForTools } from './wait-for-tools.ts';

const down = { state: 'error', since: '2026-01-01T00:00:00.000Z', nextTryAt: '2026-01-01T01:00:00.000Z' };

/** The servers that a call to `tool` tries. */
async function triedBy(tool: string, status: object, { enabled = true, known = [] as readonly string[] } = {}) {
  const tried: string[] = [];
  const toConnection = (name: string) =>
    ({
      spec: { name, enabled },
      status: status as ConnectionStatus,
      connect: async () => void tried.push(name),
    }) as unknown as Connection;
  const servers = () => ['crm', 'my-files'].map(toConnection);
  await createWaitForTools({ servers, hasTools: (name) => known.includes(name) })(tool);
  return tried;
}

test('a call tries the server that its name contains, in any naming, if that is down and its tools are not known [O3]', async () => {
  for (const name of ['mcp_my-files_read', 'my_files__read', 'my-files/read'])
    expect(await triedBy(name, down)).toEqual(['my-files']);
  expect(await triedBy('read', down)).toEqual([]);
  expect(await triedBy('crm__read', down, { known: ['crm'] })).toEqual([]);
  expect(await triedBy('crm__read', down, { enabled: false })).toEqual([]);
});

test('a call does not try a server that is connected, has just failed, or waits for a person', async () => {
  expect(await triedBy('crm__read', { ...down, state: 'connected' })).toEqual([]);
  expect(await triedBy('crm__read', { ...down, since: new Date().toISOString() })).toEqual([]);
  expect(await triedBy('crm__read', { ...down, signInUrl: 'https://example.com' })).toEqual([]);
  expect(await triedBy('crm__read', { ...down, nextTryAt: undefined })).toEqual([]);
  expect(await triedBy('crm__read', { ...down, cause: 'unauthorized' })).toEqual([]);
  // Its command may have been installed meanwhile.
  expect(await triedBy('crm__read', { ...down, cause: 'command-not-found' })).toEqual(['crm']);
});
