import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createKeyRing, createSealer, keyIdOf } from './sealer.ts';

const key = randomBytes(32);
const sealer = createSealer(key);

describe('a sealer [R17]', () => {
  test('a sealer opens texts sealed by another sealer with the same key', () => {
    for (const plain of ['', 'secret', 'Grüße 👋', 'x'.repeat(100_000)]) {
      expect(createSealer(key).open(sealer.seal(plain, 'servers/1'), 'servers/1')).toBe(plain);
    }
  });

  test('a sealer returns a different output for the same text each time, and the output reveals nothing', () => {
    const sealed = [1, 2].map(() => sealer.seal('a secret', 'servers/1'));
    expect(sealed[0]).not.toBe(sealed[1]);
    for (const text of sealed) expect(Buffer.from(text, 'base64url').includes('secret')).toBe(false);
  });

  test('a sealer rejects a text that was moved to another record', () => {
    const sealed = sealer.seal('secret', 'servers/1');
    expect(() => sealer.open(sealed, 'servers/2')).toThrow(/servers\/2.*changed, or belongs to another record/);
  });

  test('a sealer rejects a text with any changed byte', () => {
    const parts = sealer.seal('secret', 'a').split('.');
    for (const [index, part] of parts.entries()) {
      if (index < 2) continue;
      const bytes = Buffer.from(part, 'base64url');
      for (let at = 0; at < bytes.length; at++) {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ 1;
        const text = parts.with(index, changed.toString('base64url')).join('.');
        expect(() => sealer.open(text, 'a')).toThrow(/can't be opened/);
      }
      expect(() => sealer.open(parts.with(index, part.slice(0, 8)).join('.'), 'a')).toThrow(/can't be opened/);
    }
  });

  test('a sealer rejects a text sealed with another key or in an unknown format', () => {
    const other = createSealer(randomBytes(32));
    const sealed = sealer.seal('secret', 'a');
    expect(() => other.open(sealed, 'a')).toThrow(/sealed with another key/);
    for (const text of ['', 'plain', sealed.replace('tw1', 'tw9'), `${sealed}.more`]) {
      expect(() => sealer.open(text, 'a')).toThrow(/not in a form/);
    }
    expect(() => other.open(sealed, 'a')).toThrow(expect.objectContaining({ code: 'STORAGE_UNAVAILABLE' }));
  });

  test('a sealer requires a key of 32 bytes', () => {
    expect(() => createSealer(randomBytes(16))).toThrow(/32 bytes/);
  });
});

test('a key ring seals with its newest key and opens with all of them', () => {
  const newest = createSealer(randomBytes(32));
  const ring = createKeyRing(sealer);
  const old = ring.seal('old', 'a');
  ring.add(newest);
  expect(keyIdOf(ring.seal('new', 'a'))).toBe(newest.keyId);
  expect(ring.keyId).toBe(newest.keyId);
  expect([ring.open(old, 'a'), ring.open(ring.seal('new', 'a'), 'a')]).toEqual(['old', 'new']);
  expect(() => ring.open(createSealer(randomBytes(32)).seal('x', 'a'), 'a')).toThrow(/another key/);
});
