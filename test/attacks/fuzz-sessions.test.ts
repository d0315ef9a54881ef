import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSessionTokens } from '../../packages/gateway/core/mcp/session-token.ts';
import { parameters } from './arbitraries.ts';

describe('session tokens', () => {
  const tokens = createSessionTokens(randomBytes(32));
  const facts = {
    caller: 'someone',
    profile: 'default',
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
  };

  test('a session token opens only unmodified and with its own key', () => {
    const other = createSessionTokens(randomBytes(32));
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        fc.nat({ max: 7 }),
        fc.nat({ max: 40 }),
        (caller, at, bit, cut) => {
          const { token, facts: sealed } = tokens.seal({ ...facts, caller });
          expect(tokens.open(token)).toEqual(JSON.parse(JSON.stringify(sealed)));
          expect(other.open(token)).toBeUndefined();
          const bytes = Buffer.from(token, 'base64url');
          const place = Math.floor(at * bytes.length);
          bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << bit), place);
          expect(tokens.open(bytes.toString('base64url'))).toBeUndefined();
          expect(tokens.open(token.slice(0, -1 - cut))).toBeUndefined();
          expect(tokens.open(`${token}${'A'.repeat(cut + 1)}`)).toBeUndefined();
          expect(tokens.open(`${token}=`)).toBeUndefined();
        },
      ),
      parameters,
    );
  });

  test('no arbitrary text is a valid session token', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.base64String(),
          fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
        ),
        (text) => {
          expect(tokens.open(text)).toBeUndefined();
        },
      ),
      parameters,
    );
  });
});
