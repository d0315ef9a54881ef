import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createLoopbackCallback } from './loopback-callback.ts';

const idle = new AbortController().signal;
const question = { server: 'notes', state: 'right', signal: idle };
const nowhere = new URL('https://issuer.example/authorize');

test('a loopback callback returns the query of the redirect with its state and rejects other requests', async () => {
  await using back = await createLoopbackCallback({ open: () => {} }).open({});
  const params = back.authorize(nowhere, question);
  const wrong = await fetch(`${back.redirectUrl}?code=evil&state=wrong`);
  const missing = await fetch(`${back.redirectUrl}?code=evil`);
  const elsewhere = await fetch(new URL('/other?code=evil&state=right', back.redirectUrl));
  const posted = await fetch(`${back.redirectUrl}?code=evil&state=right`, { method: 'POST' });
  expect([wrong.status, missing.status, elsewhere.status, posted.status]).toEqual([400, 400, 404, 404]);

  const right = await fetch(`${back.redirectUrl}?code=good&state=right&iss=<script>`);
  expect((await params).get('code')).toBe('good');
  expect(right.headers.get('cache-control')).toBe('no-store');
  const page = await right.text();
  expect(page).toContain('You can close this window');
  expect(page).not.toContain('good');
  expect(page).not.toContain('<script>');
});

test('a loopback callback listens on this machine only, until it is closed', async () => {
  const back = await createLoopbackCallback({ open: () => {} }).open({});
  expect(back.redirectUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/oauth\/callback$/);
  expect((await fetch(back.redirectUrl)).status).toBe(404);
  await back[Symbol.asyncDispose]();
  await expect(fetch(back.redirectUrl)).rejects.toThrow();
});

test('a loopback callback uses its previous port if that is free, and otherwise another', async () => {
  const callback = createLoopbackCallback({ open: () => {} });
  const first = await callback.open({});
  const { redirectUrl } = first;
  const beside = await callback.open({ preferredUrl: redirectUrl });
  expect(beside.redirectUrl).not.toBe(redirectUrl);
  await first[Symbol.asyncDispose]();
  await beside[Symbol.asyncDispose]();
  await using again = await callback.open({ preferredUrl: redirectUrl });
  expect(again.redirectUrl).toBe(redirectUrl);
});

test('a configured redirect URL is used unchanged or rejected with the reason', async () => {
  const callback = createLoopbackCallback({ open: () => {} });
  const busy = createServer();
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
  const { port } = busy.address() as AddressInfo;
  await expect(callback.open({ redirectUrl: `http://localhost:${port}/back` })).rejects.toMatchObject({
    code: 'OAUTH_FAILED',
  });
  await expect(callback.open({ redirectUrl: 'https://toolwharf.example/back' })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
  });
  await new Promise((resolve) => busy.close(resolve));
  await using back = await callback.open({ redirectUrl: `http://localhost:${port}/back` });
  const params = back.authorize(nowhere, question);
  await fetch(`http://127.0.0.1:${port}/back?error=access_denied&state=right`);
  expect((await params).get('error')).toBe('access_denied');
});

test('a timeout, a cancellation and a browser that cannot be opened all end the wait for a redirect', async () => {
  await using slow = await createLoopbackCallback({ open: () => {}, timeoutMs: 20 }).open({});
  await expect(slow.authorize(nowhere, question)).rejects.toMatchObject({ code: 'OAUTH_FAILED' });

  const stop = new AbortController();
  await using stopped = await createLoopbackCallback({ open: () => stop.abort(new Error('enough')) }).open({});
  await expect(stopped.authorize(nowhere, { ...question, signal: stop.signal })).rejects.toThrow('enough');

  await using blind = await createLoopbackCallback({
    open: () => {
      throw new Error('no browser');
    },
  }).open({});
  await expect(blind.authorize(nowhere, question)).rejects.toThrow('no browser');
});
