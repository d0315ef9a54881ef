import { expect, test } from 'vitest';
import type { Config, Server } from '../../api/client.ts';
import { type AttentionSources, attentionItems } from './attention-items.ts';

const nothing: AttentionSources = { servers: [], approvals: [], questions: [], changedTools: [] };

const server = (name: string, status: object, more: object = {}) =>
  ({ name, enabled: true, status, ...more }) as unknown as Server;

const config = (gateway: object, more: object = {}) =>
  ({
    warnings: [],
    gateway: { requireAuthentication: false, allowedOrigins: [], ...gateway },
    toolbox: { approval: { mode: 'always-ask' } },
    ...more,
  }) as unknown as Config;

test('healthy, starting and disabled servers need no attention', () => {
  const servers = [
    server('good', { state: 'connected' }),
    server('starting', { state: 'connecting', failures: 0 }),
    server('off', { state: 'error', reason: 'gone' }, { enabled: false }),
  ];
  expect(attentionItems({ ...nothing, servers, config: config({}) })).toEqual([]);
});

test('broken servers come before degraded ones, each with its reason and a link', () => {
  const servers = [
    server('slow', { state: 'degraded', reason: 'answers late' }),
    server('closed', { state: 'error', code: 'OAUTH_REQUIRED', reason: 'sign in' }),
    server('a/b', { state: 'error', reason: 'exited with code 3' }),
    server('again', { state: 'connecting', failures: 2 }),
  ];
  const items = attentionItems({ ...nothing, servers });
  expect(items.map(({ tone, title, detail, href }) => [tone, title, detail, href])).toEqual([
    ['bad', 'a/b is not connected', 'exited with code 3', '/servers/a%2Fb'],
    ['bad', 'again is not connected', 'Retrying …', '/servers/again'],
    ['warn', 'slow is degraded', 'answers late', '/servers/slow'],
    ['warn', 'closed requires sign-in', 'sign in', '/servers/closed'],
  ]);
});

test('configuration errors come first, then warnings and open access', () => {
  const refused = { at: '2026-01-01T00:00:00Z', message: 'line 3: bad' };
  const open = config(
    { allowedOrigins: ['https://elsewhere.example'] },
    { refused, warnings: ['odd'], toolbox: { approval: { mode: 'auto' } } },
  );
  const titles = attentionItems({ ...nothing, config: open }).map(({ title }) => title);
  expect(titles).toEqual([
    'The configuration file has errors',
    'The configuration has 1 warning',
    'Other websites can use this gateway without a key',
    'Local programs can call tools without a key or approval',
  ]);
  const closed = config({ requireAuthentication: true, allowedOrigins: ['https://elsewhere.example'] });
  expect(attentionItems({ ...nothing, config: closed })).toEqual([]);
});

test('new tools that wait for review and changed tools are separate items', () => {
  const changedTools = [
    { name: 's__a', server: 's', changed: 'ask' },
    { name: 's__b', server: 's', isNew: true },
  ] as never;
  expect(attentionItems({ ...nothing, changedTools })).toMatchObject([
    { title: '1 tool changed since acceptance', detail: 's__a', action: 'Compare' },
    { title: '1 tool new, waiting for review', detail: 's__b', href: '/servers/s', action: 'Review' },
  ]);
});

test('an item about many tools names the first three', () => {
  const approvals = ['one', 'two', 'three', 'four', 'one'].map((tool) => ({ tool })) as never;
  expect(attentionItems({ ...nothing, approvals })).toMatchObject([
    { title: '5 calls awaiting approval', detail: 'one, two, three and 1 more', href: '/approvals' },
  ]);
});
