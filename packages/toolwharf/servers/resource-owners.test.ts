import { expect, test } from 'vitest';
import { silentLog } from '../kernel/log.ts';
import { createResourceOwners } from './resource-owners.ts';

const names = ['first', 'second'];

function setUp(now = { time: 1_000 }) {
  let stored: string | undefined;
  const store = {
    load: async () => stored,
    save: async (text: string) => {
      stored = text;
    },
  };
  const open = () => createResourceOwners({ store, clock: { now: () => now.time }, log: silentLog });
  return { open, now };
}

test('a later server cannot take a listed URI, nor a URI under a template [N9]', () => {
  const { open, now } = setUp();
  const owners = open();
  owners.claim('second', 'templates', ['lab://open/{name}']);
  owners.claim('second', 'uris', ['lab://listed']);
  now.time += 600_000;
  owners.claim('first', 'uris', ['lab://open/zzz', 'lab://listed', 'lab://mine']);
  owners.claim('first', 'templates', ['lab://open/{name}', 'lab://{+x}']);
  expect(owners.find('lab://open/zzz', names)).toBe('second');
  expect(owners.find('lab://listed', names)).toBe('second');
  expect(owners.findTemplate('lab://open/{name}', names)).toBe('second');
  expect(owners.find('lab://mine', names)).toBe('first');
  expect(owners.find('lab://other/a', names)).toBe('second');
  expect(owners.findTemplate('lab://{+x}', names)).toBe('second');
  expect(owners.find('lab://listed', ['first'])).toBe('first');
});

test.each(['lab://{+x}', 'lab://{x}', 'lab:{+x}', 'LAB://{a}/{b}'])(
  'the template %s of a later server claims nothing in the scheme of another one, now or later',
  (template) => {
    const { open, now } = setUp();
    const owners = open();
    owners.claim('second', 'uris', ['lab://a']);
    now.time += 600_000;
    owners.claim('first', 'templates', [template, 'lab://mine/{x}']);
    expect(owners.find('lab://unlisted/b', names)).toBe('second');
    expect(owners.find('lab://mine/b', names)).toBe('first');
    now.time += 600_000;
    owners.claim('second', 'uris', ['lab://new/b']);
    expect(owners.find('lab://new/b', names)).toBe('second');
    expect(owners.find('lab://new/b', ['first'])).toBe('first');
  },
);

test('in a shared scheme, a broad template does not take what other servers list, even if it came first', () => {
  const { open, now } = setUp();
  const owners = open();
  owners.claim('first', 'templates', ['https://{+x}', 'la{+x}', '{+any}']);
  now.time += 600_000;
  owners.claim('second', 'uris', ['https://a', 'lab://a']);
  owners.claim('second', 'templates', ['https://b/{id}']);
  expect(owners.find('https://a', names)).toBe('second');
  expect(owners.find('https://b/1', names)).toBe('second');
  expect(owners.find('https://c', names)).toBe('first');
  expect(owners.find('lab://a', names)).toBe('second');
});

test('in a scheme of its own, a server keeps what its templates may stand for, in each form of an expression', () => {
  for (const template of [
    'lab://{+path}',
    'lab://{path}',
    'lab://{a}{/b*}',
    'lab:{+x}',
    'LAB://{a}/{+b}',
    'lab://{x:3}',
  ]) {
    const { open, now } = setUp();
    const owners = open();
    owners.claim('second', 'templates', [template]);
    now.time += 600_000;
    owners.claim('first', 'uris', [template.startsWith('LAB') ? 'LAB://open/dir/zzz' : 'lab://open/dir/zzz']);
    owners.claim('first', 'templates', ['lab://open/{+x}', 'lab://{a}/{b}/{c}', '{+x}', 'lab://{+x}', 'la{+x}']);
    const uri = template.startsWith('LAB') ? 'LAB://open/dir/zzz' : 'lab://open/dir/zzz';
    expect([template, owners.find(uri, names)]).toEqual([template, 'second']);
  }
});

test('during the start the order of the configuration decides, not that of the connections', () => {
  const { open, now } = setUp();
  const owners = open();
  owners.claim('second', 'uris', ['lab://a']);
  now.time += 5_000;
  owners.claim('first', 'uris', ['lab://a']);
  expect(owners.find('lab://a', names)).toBe('first');
});

test('owners survive a restart, also while their server is not connected [N9]', async () => {
  const { open, now } = setUp();
  const owners = open();
  owners.claim('second', 'uris', ['lab://a']);
  await owners.flush();
  now.time += 600_000;
  const restarted = open();
  await restarted.load();
  restarted.claim('first', 'uris', ['lab://a']);
  expect(restarted.find('lab://a', names)).toBe('second');
  restarted.release('second');
  expect(restarted.find('lab://a', names)).toBe('first');
});

test('a server that lists more and more URIs is bounded, and keeps those that it lists', () => {
  const { open } = setUp();
  const owners = open();
  owners.claim(
    'first',
    'uris',
    Array.from({ length: 20_000 }, (_, at) => `https://old/${at}`),
  );
  owners.claim('first', 'uris', ['https://new']);
  expect(owners.find('https://new', names)).toBe('first');
  expect(owners.find('https://old/0', names)).toBeUndefined();
});
