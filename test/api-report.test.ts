import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exportsOf, reportApi } from './support/api-report.ts';
import { libraryEntries, root } from './support/imports.ts';

const file = join(root, 'docs/reference/api-report.md');
const entries = libraryEntries().map((source) => ({
  path:
    source === 'packages/toolwharf/index.ts'
      ? 'toolwharf'
      : source.replace(/^packages\/toolwharf\/(?:bridges\/)?/, 'toolwharf/').replace('.ts', ''),
  declarations: join(root, source.replace('packages/', 'dist/').replace('.ts', '.d.ts')),
}));

test('docs/reference/api-report.md equals the built public API (UPDATE_DOCS=1 writes it)', () => {
  const sections = entries.map(
    ({ path, declarations }) => `## ${path}\n\n\`\`\`ts declarations\n${reportApi(declarations)}\n\`\`\`\n`,
  );
  const report = `# API report\n\nEvery exported declaration, generated from the build. A change here is a change of the public API: review it as one.\n\n${sections.join('\n')}`;
  if (process.env.UPDATE_DOCS === '1') writeFileSync(file, report);
  expect(readFileSync(file, 'utf8')).toBe(report);
});

describe('every export', () => {
  test.each(entries)('every export of $path has a doc comment', ({ declarations }) => {
    const exported = [...exportsOf(declarations)];
    expect(exported.length).toBeGreaterThan(0);
    expect(exported.filter(([, { comment }]) => comment === undefined).map(([name]) => name)).toEqual([]);
  });
});
