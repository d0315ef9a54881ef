import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { connectClient, type TestClient } from '../support/open-gateway.ts';
import { waitFor } from '../support/wait-for.ts';
import { startApp, type TestApp } from './support/app.ts';
import { approvalsPage } from './support/approvals-page.ts';

let app: TestApp;
let client: TestClient;

beforeAll(async () => {
  app = await startApp({
    servers: { s: fixture('legacy') },
    profiles: { careful: { approval: { mode: 'always-ask' } } },
  });
  client = await connectClient(`${app.url}/mcp/careful`);
});

afterAll(async () => {
  await client?.client.close();
  await app?.close();
});

const { tab } = approvalsPage(() => app);

/** Loads the page, which opens an event stream. */
async function openPending(): Promise<void> {
  await app.load('/approvals');
  await tab(/^Pending/).waitFor();
}

/** Makes a call, expects its approval on the page and allows it there. */
async function approveOnPage(text: string): Promise<void> {
  const panel = app.page.getByRole('article', { name: 'Approval of echo', exact: true });
  const calling = client.text('s__echo', { text });
  await panel.getByRole('button', { name: 'Allow once', exact: true }).click();
  expect(await calling).toBe(text);
  await panel.waitFor({ state: 'detached' });
}

test('the page opens a new event stream after the gateway rejected one', async () => {
  let rejected = 0;
  await app.page.route('**/api/events', async (route) => {
    if (++rejected === 1) await route.fulfill({ status: 503, body: 'restarting' });
    else await route.continue();
  });
  await openPending();
  await approveOnPage('after a rejection');
  expect(rejected).toBe(2);
  await app.page.unroute('**/api/events');
});

test('a list is refreshed although an earlier request for it is never answered', async () => {
  await openPending();
  await approveOnPage('before the hanging request');
  let hanging = 0;
  await app.page.route('**/api/approvals?status=pending*', (route) => void (++hanging > 1 && route.continue()));
  const calling = client.text('s__add', { a: 1, b: 2 });
  await waitFor(() => hanging === 1, { what: 'the request that is never answered' });
  await approveOnPage('while a request hangs');
  await app.page.getByRole('article', { name: 'Approval of add' }).getByRole('button', { name: 'Allow once' }).click();
  expect(await calling).toBe('3');
  await app.page.unroute('**/api/approvals?status=pending*');
});

test('the page opens a new event stream when the gateway has been silent for too long', async () => {
  let opened = 0;
  app.page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/events') opened++;
  });
  await app.page.clock.install();
  await openPending();
  await approveOnPage('on the first stream');
  expect(opened).toBe(1);
  await app.page.clock.fastForward('01:00');
  await waitFor(() => opened === 2, { what: 'the second stream' });
  await approveOnPage('on the second stream');
});
