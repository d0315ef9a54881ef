import { expect, test } from 'vitest';
import { describeProtocol } from './server-labels.ts';

test('the protocol has a version and an era, except for an HTTP API [R21]', () => {
  const session = { era: 'legacy', protocolVersion: '2025-11-25' } as const;
  expect(describeProtocol({ transport: 'http', ...session })).toBe('Streamable HTTP, 2025-11-25 (legacy)');
  expect(describeProtocol({ transport: 'api', ...session })).toBe('HTTP API');
  expect(describeProtocol({})).toBe('');
});
