import { expect, test } from 'vitest';
import { splitCommand } from './split-command.ts';

test.each([
  ['npx', ['npx']],
  ['npx -y  pkg', ['npx', '-y', 'pkg']],
  [`run "two words" 'it''s' --a="b c"`, ['run', 'two words', 'its', '--a=b c']],
  ['run ""', ['run', '']],
  ['C:\\a\\b.exe x', ['C:\\a\\b.exe', 'x']],
  ['  ', []],
  ['run "open', undefined],
])('the command line %s splits into %j', (line, words) => {
  expect(splitCommand(line)).toEqual(words);
});
