import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { createSessionTokens, digestCapabilities } from './session-token.ts';

const facts = { caller: 'key-1', profile: 'default', protocolVersion: '2025-11-25', capabilities: { sampling: {} } };

test('any holder of the key can read a session from its id alone', () => {
  const key = randomBytes(32);
  const { token, facts: sealed } = createSessionTokens(key).seal(facts);
  expect(token).toMatch(/^[\x21-\x7e]+$/);
  expect(createSessionTokens(Buffer.from(key)).open(token)).toEqual(sealed);
  expect(sealed).toMatchObject(facts);
});

afterEach(() => void vi.useRealTimers());

test('a session is rejected after thirty days, also by a replica that has read it before', () => {
  vi.useFakeTimers();
  const tokens = createSessionTokens(randomBytes(32));
  const { token } = tokens.seal(facts);
  vi.advanceTimersByTime(30 * 24 * 3_600_000 - 1);
  expect(tokens.open(token)).toBeDefined();
  vi.advanceTimersByTime(1);
  expect(tokens.open(token)).toBeUndefined();
});

test('a token with another key, a changed or shortened token, and any other text are rejected', () => {
  const tokens = createSessionTokens(randomBytes(32));
  const { token } = tokens.seal(facts);
  expect(createSessionTokens(randomBytes(32)).open(token)).toBeUndefined();
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
      const changed = token.slice(0, at) + character + token.slice(at + 1);
      expect(tokens.open(changed)).toEqual(changed === token ? expect.anything() : undefined);
    }),
  );
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(tokens.open(text)).toBeUndefined();
    }),
  );
  expect(tokens.open(token.slice(0, -3))).toBeUndefined();
});

test('a session keeps every capability that questions depend on, short experimental ones, and nothing else that the client declares', () => {
  const declared = {
    elicitation: { form: {}, url: { note: 'dropped' }, unknown: {} },
    sampling: { tools: {}, context: {} },
    roots: { listChanged: true },
    experimental: { 'example.com/kept': { text: 'kept' } },
    other: { text: 'dropped' },
  };
  expect(digestCapabilities(declared)).toEqual({
    elicitation: { form: {}, url: {} },
    sampling: { tools: {}, context: {} },
    roots: { listChanged: true },
    experimental: { 'example.com/kept': { text: 'kept' } },
  });
  expect(digestCapabilities({ experimental: { text: 'x'.repeat(1_000) } })).toEqual({});
  expect(digestCapabilities({ sampling: {}, roots: 'yes' })).toEqual({ sampling: {} });
  expect(digestCapabilities('all')).toEqual({});
});
