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
  return { tools: named, count: tools.length, estimatedTokens: 0, omitted: [], missingServers: [] };
}

test('what is offered to be said first fits the tools that are on', () => {
  const prompts = starterPrompts(
    previewOf(
      { originalName: 'list_allowed_directories', enabled: true },
      { originalName: 'write_file', enabled: false },
    ),
  );
  expect(prompts).toContain('Which folders may you use?');
  expect(prompts.join()).not.toContain('note');
});

test('something can be said first without any tools, or before they are known', () => {
  expect(starterPrompts(previewOf()).length).toBeGreaterThan(0);
  expect(starterPrompts(undefined)).toEqual(starterPrompts(previewOf()));
});
