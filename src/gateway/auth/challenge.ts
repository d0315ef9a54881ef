import type { IncomingMessage } from 'node:http';

/** The `WWW-Authenticate` value for a request that is turned away: what to send, and whether what was sent is wrong. */
export function challengeFor(request: IncomingMessage): string {
  const realm = 'Bearer realm="toolwharf"';
  return request.headers.authorization === undefined ? realm : `${realm}, error="invalid_token"`;
}

/** What the body says beside it. */
export const unauthorized = {
  error: { code: 'UNAUTHORIZED', message: 'A good key is needed: send it as "Authorization: Bearer KEY"' },
} as const;
