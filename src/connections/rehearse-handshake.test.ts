import { Client } from '@modelcontextprotocol/client';
import { expect, test, vi } from 'vitest';
import { rehearseLegacyHandshake } from './rehearse-handshake.ts';

test('the rehearsal is a complete legacy handshake, performed once', async () => {
  const connect = vi.spyOn(Client.prototype, 'connect');
  await Promise.all([rehearseLegacyHandshake(), rehearseLegacyHandshake()]);
  expect(connect).toHaveResolvedTimes(1);
  connect.mockRestore();
});
