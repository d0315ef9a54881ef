import { expect, test } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { connectMcp, type McpClient, usualAnswers } from '../support/mcp-client.ts';
import { serveMcp } from '../support/serve-mcp.ts';
import { waitFor } from '../support/wait-for.ts';

test('the legacy session beside a modern one gets the log level, and no members of the modern era', async () => {
  await using served = await serveMcp({ dual: fixture('both-eras') });
  expect(served.toolbox.servers.status('dual')?.era).toBe('modern');
  await using client = await connectMcp(served.url, 'legacy', { answers: usualAnswers });
  expect(await client.text('ask', { question: 'on the legacy session' })).toContain('on the legacy session');
  const meta = JSON.parse(await client.text('meta'));
  expect(Object.keys(meta).filter((key) => key.startsWith('io.modelcontextprotocol/'))).toEqual([]);
  await client.text('report');
  expect(client.logs()).toEqual(['report', 'report', 'report']);
});

test.each(['legacy', 'modern'] as const)(
  'a %s client with a session of its own on a legacy server gets the log messages of its level',
  async (era) => {
    // Logs nothing until a level is set.
    await using served = await serveMcp({ own: { ...fixture('both-eras'), protocol: 'legacy', isolation: 'session' } });
    await using client = await connectMcp(served.url, era);
    if (era === 'legacy') await client.client.setLoggingLevel('info');
    expect(await client.text('report')).toBe('reported');
    expect(client.logs()).toEqual(['report', 'report', 'report']);
  },
);

const updatesOf = (client: McpClient) =>
  client.notices.filter(({ method }) => method === 'notifications/resources/updated').map(({ params }) => params?.uri);

test('updates of resources reach a legacy client from the session beside the modern one', async () => {
  await using served = await serveMcp({ dual: fixture('both-eras') });
  await using client = await connectMcp(served.url, 'legacy', { answers: usualAnswers });
  // The session is opened after the first subscription and before the second.
  await client.client.subscribeResource({ uri: 'memo://one' });
  await client.text('touch', { uri: 'memo://one' });
  await client.client.subscribeResource({ uri: 'memo://two' });
  await client.text('touch', { uri: 'memo://two' });
  await waitFor(() => updatesOf(client).length === 2, { what: 'both updates' });
  await client.client.unsubscribeResource({ uri: 'memo://one' });
  await client.text('touch', { uri: 'memo://one' });
  await client.text('touch', { uri: 'memo://two' });
  await waitFor(() => updatesOf(client).length === 3, { what: 'the update of the resource that is still watched' });
  expect(updatesOf(client)).toEqual(['memo://one', 'memo://two', 'memo://two']);
});

test.each(['legacy', 'modern'] as const)(
  'updates of resources reach a client with a session of its own on a %s server',
  async (era) => {
    await using served = await serveMcp({ own: { ...fixture(era), isolation: 'session' } });
    await using client = await connectMcp(served.url, 'legacy', { answers: usualAnswers });
    await client.client.subscribeResource({ uri: 'memo://one' });
    await client.text('touch', { uri: 'memo://one' });
    await waitFor(() => updatesOf(client).length === 1, { what: 'the update' });
  },
);
