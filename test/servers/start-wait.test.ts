import { expect, test } from 'vitest';
import { openConfig } from '../../src/config/open-config.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { createStartWait } from '../../src/servers/start-wait.ts';
import { startToolbox } from '../../src/toolbox.ts';
import { startHttp } from '../support/fixtures.ts';
import { waitFor } from '../support/wait-for.ts';

const laterMs = 120_000;

test('a list tries a server again that rests after failed attempts, but not one that has just begun to rest', async () => {
  const first = await startHttp('legacy-http');
  const { port } = new URL(first.url);
  await first.kill();
  const servers = { web: { url: first.url, retryAttempts: 0 } };
  await using toolbox = await startToolbox(await openConfig({ servers }), { log: silentLog });
  const status = () => toolbox.servers.status('web');
  await waitFor(() => status()?.state === 'error', { what: 'the failure' });
  await using _second = await startHttp('legacy-http', { PORT: port });
  await createStartWait(toolbox, 0)();
  expect(status()?.state).toBe('error');
  await createStartWait(toolbox, 0, () => Date.now() + laterMs)();
  await waitFor(() => status()?.state === 'connected', { what: 'the connection' });
});

test('a list does not try a server again that needs credentials', async () => {
  await using server = await startHttp('legacy-http', { REQUIRE_HEADER: 'authorization: Bearer right' });
  const servers = { web: { url: server.url, retryAttempts: 0 } };
  await using toolbox = await startToolbox(await openConfig({ servers }), { log: silentLog });
  await waitFor(() => toolbox.servers.status('web')?.state === 'error', { what: 'the refusal' });
  await createStartWait(toolbox, 0, () => Date.now() + laterMs)();
  expect(toolbox.servers.status('web')).toMatchObject({ state: 'error', failures: 1 });
});
