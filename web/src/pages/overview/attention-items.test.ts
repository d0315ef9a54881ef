import { expect, test } from 'vitest';
import type { Config, Server } from '../../api/client.ts';
import { type AttentionParts, attentionItems } from './attention-items.ts';

const nothing: AttentionParts = { servers: [], approvals: [], questions: [], changedTools: [] };

const server = (name: string, status: object, more: object = {}) =>
  ({ name, enabled: true, status, ...more }) as unknown as Server;

const config = (gateway: object, more: object = {}) =>
  ({
    warnings: [],
    gateway: { requireAuthentication: false, allowedOrigins: [], ...gateway },
    toolbox: { approval: { mode: 'always-ask' } },
    ...more,
  }) as unknown as Config;

test('where all is well, there is nothing', () => {
  const servers = [
    server('good', { state: 'connected' }),
    server('starting', { state: 'connecting', failures: 0 }),
    server('off', { state: 'error', reason: 'gone' }, { enabled: false }),
  ];
  expect(attentionItems({ ...nothing, servers, config: config({}) })).toEqual([]);
});

test('the worst comes first, each with its reason and where to go', () => {
  const servers = [
    server('slow', { state: 'degraded', reason: 'answers late' }),
    server('closed', { state: 'error', code: 'OAUTH_REQUIRED', reason: 'sign in' }),
    server('a/b', { state: 'error', reason: 'exited with code 3' }),
    server('again', { state: 'connecting', failures: 2 }),
  ];
  const items = attentionItems({ ...nothing, servers });
  expect(items.map(({ tone, title, detail, href }) => [tone, title, detail, href])).toEqual([
    ['bad', 'a/b is not connected', 'exited with code 3', '/servers/a%2Fb'],
    ['bad', 'again is not connected', 'Trying again …', '/servers/again'],
    ['warn', 'slow does not work as it should', 'answers late', '/servers/slow'],
    ['warn', 'closed wants you to sign in', 'sign in', '/servers/closed'],
  ]);
});

test('a refused configuration is told before everything, and so is what stands open', () => {
  const refused = { at: '2026-01-01T00:00:00Z', message: 'line 3: bad' };
  const open = config(
    { allowedOrigins: ['https://elsewhere.example'] },
    { refused, warnings: ['odd'], toolbox: { approval: { mode: 'auto' } } },
  );
  const titles = attentionItems({ ...nothing, config: open }).map(({ title }) => title);
  expect(titles).toEqual([
    "The configuration file can't be used as it is",
    'The configuration has a warning',
    'Other web pages may use this gateway without a key',
    'Programs on this machine call tools without a key and without a question',
  ]);
  const closed = config({ requireAuthentication: true, allowedOrigins: ['https://elsewhere.example'] });
  expect(attentionItems({ ...nothing, config: closed })).toEqual([]);
});

test('of many, the first few are named', () => {
  const approvals = ['one', 'two', 'three', 'four', 'one'].map((tool) => ({ tool })) as never;
  expect(attentionItems({ ...nothing, approvals })).toMatchObject([
    { title: '5 calls wait for an answer', detail: 'one, two, three and 1 more', href: '/approvals' },
  ]);
});
