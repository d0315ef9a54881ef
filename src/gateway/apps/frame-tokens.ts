import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AppSources } from './content-policy.ts';

/** The settings of a frame's Content-Security-Policy. */
export interface FrameFacts {
  readonly sources: AppSources;
  /** The host of the page around the frame. */
  readonly ancestor: string;
}

/** Signs the facts of a frame, so that every replica can serve it, and only with the policy that the gateway decided. */
export interface FrameTokens {
  seal(facts: FrameFacts): string;
  /** Undefined if the token was not issued with this key, was modified or has expired. */
  open(token: string): FrameFacts | undefined;
}

const lifetimeMs = 5 * 60_000;

export function createFrameTokens(key: Buffer, now: () => number = Date.now): FrameTokens {
  const sign = (payload: string) => createHmac('sha256', key).update(`app frame\0${payload}`).digest();

  return {
    seal(facts) {
      const payload = Buffer.from(JSON.stringify({ facts, until: now() + lifetimeMs })).toString('base64url');
      return `${payload}.${sign(payload).toString('base64url')}`;
    },
    open(token) {
      const [payload = '', signature = '', ...rest] = token.split('.');
      const expected = sign(payload);
      const given = Buffer.from(signature, 'base64url');
      if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      // The signature proves that the payload is ours.
      const { facts, until } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
      return until < now() ? undefined : facts;
    },
  };
}
