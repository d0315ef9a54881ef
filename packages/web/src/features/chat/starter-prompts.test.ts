import { expect, test } from 'vitest';
import type { AssistantPreview } from '../../api/client.ts';
import { starterPrompts } from './starter-prompts.ts';

function previewOf(
  ...tools: readonly { readonly originalName: string; readonly enabled: boolean }[]
): AssistantPreview {
  const named = tools.map((tool) => ({
    ...tool,
    name: `mcp_files_${tool.originalName}`,
    description: '',
    disabledBy: [],
    trustedBy: [],
  }));
  return {
    tools: named,
    count: tools.length,
    exposed: 'all' as const,
    estimatedTokens: 0,
    allTokens: 0,
    omitted: [],
    missingServers: [],
  };
}

test('suggestions match the enabled tools', () => {
  const prompts = starterPrompts(
    previewOf(
      { originalName: 'list_allowed_directories', enabled: true },
      { originalName: 'write_file', enabled: false },
    ),
  );
  expect(prompts).toContain('Which folders may you use?');
  expect(prompts.join()).not.toContain('note');
});

test('there are suggestions without tools and while the tools are loading', () => {
  expect(starterPrompts(previewOf()).length).toBeGreaterThan(0);
  expect(starterPrompts(undefined)).toEqual(starterPrompts(previewOf()));
});
