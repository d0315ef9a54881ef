import { expect, test } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { connectRooted, experimental } from '../support/mcp-client.ts';
import { serveMcp } from '../support/serve-mcp.ts';

test('a server with a session for each client learns its experimental capabilities and asks it for changed roots', async () => {
  await using served = await serveMcp({ own: { ...fixture('rooted'), isolation: 'session' } });
  await using one = await connectRooted(served.url, 'file:///one');
  await using two = await connectRooted(served.url, 'file:///two');
  const { capabilities } = JSON.parse(await one.text('client'));
  expect(capabilities).toMatchObject({ experimental, roots: { listChanged: true } });
  expect(await two.text('roots')).toBe('unchanged');
  await one.announceRoots('roots');
  expect(await two.text('roots')).toBe('unchanged');
});

test('a server whose session all clients share does not learn what one of them can, nor that its roots changed', async () => {
  await using served = await serveMcp({ shared: fixture('rooted') });
  await using one = await connectRooted(served.url, 'file:///one');
  await one.client.sendRootsListChanged();
  const { capabilities } = JSON.parse(await one.text('client'));
  expect(capabilities.experimental).toBeUndefined();
  expect(capabilities.roots).toEqual({});
  expect(await one.text('roots')).toBe('unchanged');
});
