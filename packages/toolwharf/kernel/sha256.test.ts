import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { sha256 } from './sha256.ts';

test('the hash is that of Node, for every length of the last block and for all characters', () => {
  const texts = Array.from({ length: 140 }, (_, length) => 'ä€👋x'.repeat(length).slice(0, length));
  for (const text of [...texts, '\ud800', 'x'.repeat(100_000)])
    expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
});
