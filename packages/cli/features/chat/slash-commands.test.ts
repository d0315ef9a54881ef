import { expect, test } from 'vitest';
import { parseLine } from './slash-commands.ts';

test.each([
  ['  hello there ', { kind: 'message', text: 'hello there' }],
  ['', { kind: 'empty' }],
  ['/tools', { kind: 'command', name: 'tools', argument: '' }],
  ['/MODEL  openrouter/meta/llama ', { kind: 'command', name: 'model', argument: 'openrouter/meta/llama' }],
  ['/edit two\nlines', { kind: 'command', name: 'edit', argument: 'two\nlines' }],
  ['/home/ada is my folder', { kind: 'message', text: '/home/ada is my folder' }],
  ['/home/ada', { kind: 'message', text: '/home/ada' }],
  ['//exit is a command', { kind: 'message', text: '/exit is a command' }],
  ['/ alone', { kind: 'message', text: '/ alone' }],
])('the line %j is parsed', (line, meaning) => {
  expect(parseLine(line)).toEqual(meaning);
});

test.each([
  ['/tool', 'Unknown command /tool. Did you mean /tools?'],
  ['/frobnicate', 'Unknown command /frobnicate. Type /help for a list.'],
  ['/constructor', 'Unknown command /constructor.'],
  ['/exit now', '/exit takes no argument.'],
  ['/open', 'Usage: /open ID'],
])('the invalid command %j is explained', (line, message) => {
  expect(parseLine(line)).toEqual({ kind: 'invalid', message: expect.stringContaining(message) });
});
