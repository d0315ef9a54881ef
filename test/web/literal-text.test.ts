import { expect, test } from 'vitest';
import { readSources } from '../support/imports.ts';
import { findLiteralText } from './support/find-literal-text.ts';

/** Folders and files whose texts are still in their components. The list only shrinks. */
const unconverted: readonly string[] = [
  'web/src/pages/servers/ServerFields',
  'web/src/pages/settings/Profiles',
  'web/src/pages/tools/Tool',
];

const sources = [...readSources('web/src', ['.ts', '.tsx'])].filter(
  ([file]) => !/\.test\.ts$|\.d\.ts$|^web\/src\/text\//.test(file),
);

test('the texts of the app are in the catalog, not in its components', () => {
  const converted = sources.filter(([file]) => !unconverted.some((folder) => file.startsWith(folder)));
  expect(converted.flatMap(([file, source]) => findLiteralText(file, source))).toEqual([]);
});

test('every entry of the list of unconverted folders still contains texts', () => {
  const hasText = (folder: string) =>
    sources.some(([file, source]) => file.startsWith(folder) && findLiteralText(file, source).length > 0);
  expect(unconverted.filter((folder) => !hasText(folder))).toEqual([]);
});

test('a literal text is found in JSX, in attributes, in conditions and in templates', () => {
  const source = `
    const page = { label: 'Saved requests', id: 'requests', look: 'flex items-center gap-2' };
    const view = (
      <Card title="Calls" className="Not a text">
        <p aria-label={open ? 'close' : 'open'}>{count} calls <code>toolwharf serve</code></p>
        {state === 'Failed' && 'failed'}
        {\`of \${name}\`}
        {text.calls.title}
      </Card>
    );`;
  const texts = findLiteralText('Card.tsx', source).map((found) => found.split(': ')[1]);
  expect(texts).toEqual(['Saved requests', 'Calls', 'close', 'open', 'calls', 'failed', 'of']);
});
