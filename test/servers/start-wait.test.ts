import { expect, test } from 'vitest';
import { createStartWait } from '../../packages/gateway/core/servers/start-wait.ts';
import { openConfig } from '../../packages/toolwharf/config/open-config.ts';
import type { ConnectionStatus } from '../../packages/toolwharf/connections/status.ts';
import { silentLog } from '../../packages/toolwharf/kernel/log.ts';
import { startToolbox } from '../../packages/toolwharf/toolbox.ts';
import { startHttp } from '../support/fixtures.ts';
import { waitFor } from '../support/wait-for.ts';

test('a list tries a server at once that was down before, and waits for it [O3]', async () => {
  const first = await startHttp('legacy-http');
  const { port } = new URL(first.url);
  await first.kill();
  const servers = { web: { url: first.url, retryAttempts: 0 } };
  await using toolbox = await startToolbox(await openConfig({ servers }), { log: silentLog });
  const status = () => toolbox.servers.status('web');
  await waitFor(() => isDownSince(status(), 1_000), { what: 'a failure a second ago' });
  await using _second = await startHttp('legacy-http', { PORT: port });
  await waitFor(
    async () => {
      await createStartWait(toolbox, 120_000)();
      return status()?.state === 'connected';
    },
    { what: 'the connection' },
  );
});

function isDownSince(status: ConnectionStatus | undefined, ms: number): boolean {
  return status?.state === 'error' && Date.now() - Date.parse(status.since) >= ms;
}

test('a list does not try a server again that needs credentials', async () => {
  await using server = await startHttp('legacy-http', { REQUIRE_HEADER: 'authorization: Bearer right' });
  const servers = { web: { url: server.url, retryAttempts: 0 } };
  await using toolbox = await startToolbox(await openConfig({ servers }), { log: silentLog });
  await waitFor(() => toolbox.servers.status('web')?.state === 'error', { what: 'the refusal' });
  await waitFor(() => isDownSince(toolbox.servers.status('web'), 1_000), { what: 'a second without attempts' });
  await createStartWait(toolbox, 0)();
  expect(toolbox.servers.status('web')).toMatchObject({ state: 'error', failures: 1 });
});
