import { expect, test } from 'vitest';
import type { Tool } from '../../api/client.ts';
import { applyPreset } from './presets.ts';

const tool = (originalName: string, readOnlyHint?: boolean, server: string | undefined = 's'): Tool => ({
  name: `mcp_s_${originalName}`,
  originalName,
  server,
  description: '',
  parameters: { type: 'object' },
  definitionHash: 'x',
  limits: { maxInstances: 1, timeoutMs: 1_000 },
  ...(readOnlyHint !== undefined && { annotations: { readOnlyHint } }),
});

const tools = [tool('read', true), tool('write', false), tool('unknown'), tool('every*', true)];

test('presets trust or offer only tools that are described as read-only, by names that match no other tool', () => {
  const draft = { name: 'team', description: 'Ours', deny: ['s/secret'] };
  expect(applyPreset(draft, 'read-only', tools)).toEqual({ ...draft, allow: ['s/read'] });
  const asking = { ...draft, approval: { mode: 'trusted-only', trustedTools: ['s/read'] } };
  expect(applyPreset(draft, 'ask-for-writes', tools)).toEqual(asking);
  expect(applyPreset(asking, 'everything', tools)).toEqual(draft);
  expect(applyPreset(asking, 'read-only', tools)).toEqual({ ...draft, allow: ['s/read'] });
});
