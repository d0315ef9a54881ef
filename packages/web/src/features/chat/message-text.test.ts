import { expect, test } from 'vitest';
import { spokenText } from './message-text.ts';

test('Markdown is read aloud without its marks', () => {
  const markdown =
    '## Tide\n\n- **High** water is *at six*\n- see [the table](https://tide.example/t)\n\n```ts\nconst a = 2 * 3 * 4;\n```';
  expect(spokenText(markdown)).toBe('Tide\n\nHigh water is at six\nsee the table\n\nconst a = 2 * 3 * 4;\n');
  expect(spokenText('`snake_case_name` of __init__')).toBe('snake_case_name of init');
});
