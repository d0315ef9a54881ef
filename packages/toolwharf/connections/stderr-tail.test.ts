import { expect, test } from 'vitest';
import { createStderrTail } from './stderr-tail.ts';

test('the last lines of error output are truncated and redacted, including an unfinished line', () => {
  const tail = createStderrTail({ maxLines: 2, maxLineLength: 10, redact: (line) => line.replace('secret', '***') });
  for (let index = 0; index < 100; index++) tail.push(`line ${index}\n`);
  tail.push(Buffer.from('a secret and more text\nhalf a li'));
  expect(tail.lines()).toEqual(['a *** a', 'half a li']);
});
