import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtDeclarations, reportApi } from './support/api-report.ts';
import { root } from './support/imports.ts';

const file = join(root, 'docs/reference/api-report.md');
const entries = [
  'index',
  ...['a2a', 'ai-sdk', 'anthropic', 'classic', 'flat', 'gemini', 'langchain', 'openai', 'provider'].map(
    (name) => `bridges/${name}`,
  ),
];

test('docs/reference/api-report.md is the public API as it is built (UPDATE_DOCS=1 writes it)', () => {
  const sections = entries.map((entry) => {
    const path = entry === 'index' ? 'toolwharf' : entry.replace('bridges/', 'toolwharf/');
    return `## ${path}\n\n\`\`\`ts declarations\n${reportApi(builtDeclarations(root, `${entry}.d.ts`))}\n\`\`\`\n`;
  });
  const report = `# API report\n\nEvery exported declaration, generated from the build. A change here is a change of the public API: review it as one.\n\n${sections.join('\n')}`;
  if (process.env.UPDATE_DOCS === '1') writeFileSync(file, report);
  expect(readFileSync(file, 'utf8')).toBe(report);
});
