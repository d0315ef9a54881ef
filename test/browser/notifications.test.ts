import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../support/identity-provider.ts';
import { type MessageSink, startMessageSink } from '../support/message-sink.ts';
import { waitFor } from '../support/wait-for.ts';
import { expectAccessible, startApp } from './support/app.ts';

let provider: TestIdentityProvider;
let sink: MessageSink;
beforeAll(async () => {
  [provider, sink] = await Promise.all([startIdentityProvider(), startMessageSink()]);
  await provider.setPerson('ann', { name: 'Ann', email: 'ann@example.com', groups: ['approvers'] });
});
afterAll(() => Promise.all([provider, sink].map((one) => one?.[Symbol.asyncDispose]())));

test('a link from a message leads through the sign-in to two buttons that a thumb reaches, and works once', async () => {
  await using app = await startApp({
    servers: { s: fixture('legacy') },
    toolbox: { approval: { mode: 'always-ask' } },
    gateway: {
      oidc: { ...provider.oidc, name: 'Example ID', roles: { approver: ['approvers'] } },
      notifications: [{ name: 'hook', type: 'webhook', url: `${sink.url}/hook` }],
    },
  });
  const calls = ['first', 'second'].map((text) =>
    app.post('/api/tools/mcp_s_echo/call', { arguments: { text } }, { key: app.adminToken }),
  );
  const [message] = (await waitFor(() => (sink.at('/hook').length > 0 ? sink.at('/hook') : undefined))) ?? [];
  const context = await app.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const page = await context.newPage();
  await page.goto(message?.body.link);
  await page.getByRole('link', { name: 'Sign in with Example ID' }).click();
  await page.getByRole('button', { name: 'ann' }).click();
  await page.getByText('2 calls wait for your answer.').waitFor();
  const allow = page.getByRole('button', { name: 'Allow all 2' });
  const box = await allow.boundingBox();
  // In reach of a thumb: at the lower edge of the screen, and as large as a finger.
  expect(box?.height).toBeGreaterThanOrEqual(48);
  expect(box?.y).toBeGreaterThan(844 / 2);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(844);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  await expectAccessible(page);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/answer-390.png` });
  await allow.click();
  await page.getByText('You answered 2 calls.').waitFor();
  expect((await Promise.all(calls)).map((call) => call.body.text)).toEqual(['first', 'second']);
  await page.reload();
  await page.getByText('This link has been used.').waitFor();
  await page.getByRole('link', { name: 'Open Approvals' }).waitFor();
});
