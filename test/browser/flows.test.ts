import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';
import { chooseAnswer } from './support/approvals-page.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({
    servers: { crm: fixture('legacy'), web: fixture('legacy') },
    policy: {
      labels: [{ on: 'server', match: ['crm'], add: 'private' }],
      flows: [{ id: 'to-web', from: ['private'], to: "call.server == 'web'", then: 'ask', reason: 'Private data' }],
    },
  } as never);
});
afterAll(() => app.close());

test('an approval shows which call brought the data, and one answer allows the flow', async () => {
  const { page } = app;
  await using client = await connectMcp(`${app.url}/mcp`, 'modern');
  await client.text('crm__echo', { text: 'the customer Ada Lovelace' });
  const text = 'who is Ada Lovelace?';
  const calling = client.text('web__echo', { text });
  await app.goto('/approvals');
  const panel = page.getByRole('article', { name: 'Approval of echo', exact: true });
  const flow = panel.getByRole('region', { name: 'Data flow' });
  await flow.getByText('The arguments contain private data:').waitFor();
  await flow.getByText('in /text').waitFor();
  await expectAccessible(page);
  await chooseAnswer(panel, 'Allow this data flow for this caller');
  expect(await calling).toBe(text);
  expect(await client.text('web__echo', { text })).toBe(text);

  const { calls } = (await app.get('/api/calls?limit=1')).body as never as { calls: { id: string }[] };
  await app.goto(`/calls/${calls[0]?.id}`);
  await page.getByText('Allowed by an earlier answer to the data flow to-web').waitFor();
  const section = page.getByRole('region', { name: 'Data flow' });
  await section.getByText('in /text').first().waitFor();
  await expectAccessible(page);
  await section.getByRole('link', { name: 'crm/echo', exact: true }).click();
  await page.getByText('the customer Ada Lovelace').first().waitFor();
  await page.getByText('Labels', { exact: true }).waitFor();
});
