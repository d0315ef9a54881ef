import { expect, test } from 'vitest';
import { readSources } from '../support/imports.ts';
import { findLiteralText } from './support/find-literal-text.ts';

const sources = [...readSources('web/src', ['.ts', '.tsx'])].filter(
  ([file]) => !/\.test\.ts$|\.d\.ts$|^web\/src\/text\//.test(file),
);

test('the texts of the app are in the catalog, not in its components', () => {
  expect(sources.flatMap(([file, source]) => findLiteralText(file, source))).toEqual([]);
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
