import { expect, test } from 'vitest';
import { rehearseLegacyHandshake } from './rehearse-handshake.ts';

test('the rehearsal is a complete legacy handshake, performed once', async () => {
  const rehearsed = rehearseLegacyHandshake();
  expect(rehearseLegacyHandshake()).toBe(rehearsed);
  await rehearsed;
});
