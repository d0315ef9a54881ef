import { expect, test } from 'vitest';
import { protocolOf, transportOf } from './server-words.ts';

test('what is spoken has a version and an era, except with an API, which speaks no MCP [R21]', () => {
  const spoken = { era: 'legacy', protocolVersion: '2025-11-25' } as const;
  expect(protocolOf({ transport: 'http', ...spoken })).toBe('Streamable HTTP, 2025-11-25 (legacy)');
  expect(protocolOf({ transport: 'api', ...spoken })).toBe('HTTP API');
  expect(protocolOf({})).toBe('');
  expect(transportOf('api')).toBe('HTTP API');
});
