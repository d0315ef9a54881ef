import { expect, test } from 'vitest';
import { parseLine } from './slash-command.ts';

test.each([
  ['  hello there ', { kind: 'say', text: 'hello there' }],
  ['', { kind: 'nothing' }],
  ['/tools', { kind: 'command', name: 'tools', argument: '' }],
  ['/MODEL  openrouter/meta/llama ', { kind: 'command', name: 'model', argument: 'openrouter/meta/llama' }],
  ['/edit two\nlines', { kind: 'command', name: 'edit', argument: 'two\nlines' }],
  ['/home/ada is my folder', { kind: 'say', text: '/home/ada is my folder' }],
  ['/home/ada', { kind: 'say', text: '/home/ada' }],
  ['//exit is a command', { kind: 'say', text: '/exit is a command' }],
  ['/ alone', { kind: 'say', text: '/ alone' }],
])('%j is understood', (line, meaning) => {
  expect(parseLine(line)).toEqual(meaning);
});

test.each([
  ['/tool', 'There is no /tool; did you mean /tools?'],
  ['/frobnicate', 'There is no /frobnicate; /help shows what there is'],
  ['/constructor', 'There is no /constructor'],
  ['/exit now', '/exit takes nothing more.'],
  ['/open', '/open takes ID.'],
])('%j is a mistake that says what would be right', (line, message) => {
  expect(parseLine(line)).toEqual({ kind: 'mistake', message: expect.stringContaining(message) });
});
