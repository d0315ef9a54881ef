import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({
    servers: { notes: fixture('legacy') },
    redaction: { arguments: { email: 'detect' }, results: { email: 'mask' } },
  } as never);
});
afterAll(() => app.close());

test('the page of a call shows its receipt, and a mask instead of the value in its result', async () => {
  const { page } = app;
  await app.post('/api/tools/mcp_notes_echo/call', { arguments: { text: 'to ada@example.com' } });
  await app.goto('/calls');
  await page.getByRole('link', { name: /echo/ }).first().click();
  await page.getByText('Detected 1 × email in arguments').waitFor();
  await page.getByText('Masked 1 × email in results').waitFor();
  await page.getByText('to [email]').first().waitFor();
  expect(await page.getByText('ada@example.com').count()).toBeGreaterThan(0);
  await expectAccessible(page);
});
