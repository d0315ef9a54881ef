import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ToolwharfError } from '../../../contract/errors.ts';
import type { Identity } from './identity.ts';
import { createOpenRequests } from './open-requests.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const identity: Identity = {
  caller: { id: 'jwt:ada', kind: 'person' },
  profile: 'default',
  permissions: new Set(),
  via: 'jwt',
};

function openStream(authenticate: () => Promise<Identity | undefined>) {
  const requests = createOpenRequests({ authenticate, profiles: () => [{ name: 'default' } as never] });
  const response = Object.assign(new EventEmitter(), { destroyed: false, destroy: () => (response.destroyed = true) });
  const request = { headers: { authorization: 'Bearer token' }, socket: {} } as unknown as IncomingMessage;
  requests.add(request, response as unknown as ServerResponse, identity);
  return { requests, response };
}

test('the streams of a caller end at most five seconds after its token has expired', async () => {
  const expiresAt = Date.now() + 60_000;
  const { requests, response } = openStream(async () => (Date.now() < expiresAt ? identity : undefined));
  await vi.advanceTimersByTimeAsync(59_000);
  expect(response.destroyed).toBe(false);
  await vi.advanceTimersByTimeAsync(6_000);
  expect(response.destroyed).toBe(true);
  requests.close();
});

test('streams stay open while the identity provider cannot be reached', async () => {
  const { requests, response } = openStream(async () => {
    throw new ToolwharfError('SERVER_UNREACHABLE', 'The identity provider does not answer');
  });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(response.destroyed).toBe(false);
  requests.close();
});
