import pc from 'picocolors';
import { expect, test } from 'vitest';
import type { ToolCallPart } from '../../../contract/records/conversation.ts';
import { callRow, progressText, resultRow } from './tool-row.ts';

const paper = { noteColors: pc.createColors(false), width: 60 };

function call(more: Partial<ToolCallPart> = {}): ToolCallPart {
  return {
    type: 'tool-call',
    id: '1',
    name: 'mcp_files_read',
    server: 'files',
    originalName: 'read',
    arguments: { path: '/home/ada/notes.txt' },
    status: 'success',
    startedAt: '2026-01-01T00:00:00.000Z',
    completedAt: '2026-01-01T00:00:00.400Z',
    ...more,
  };
}

const result = (text: string, isError = false) => ({ isError, content: [{ type: 'text', text }] });

test('a call is one line with its tool and arguments, shortened to the width', () => {
  expect(callRow(call(), paper)).toBe('● files read  {"path":"/home/ada/notes.txt"}');
  expect(callRow(call({ arguments: {} }), paper)).toBe('● files read');
  expect(callRow(call({ arguments: { text: 'x'.repeat(200) } }), paper)).toHaveLength(60);
  expect(callRow(call({ server: undefined, originalName: undefined }), paper)).toMatch(/^● mcp_files_read {2}/);
});

test.each([
  [{ result: result('\n  buy apples\nand pears') }, '  ✓ 400 ms buy apples'],
  [{ status: 'error', result: result('MCP error: no such file', true) }, '  ✗ 400 ms no such file'],
  [{ status: 'denied', startedAt: undefined, result: result('MCP error: denied: no', true) }, '  ✗ denied: no'],
  [{ status: 'cancelled', result: result('x', true) }, '  ✗ 400 ms cancelled'],
  [
    { status: 'unknown', result: result('it was not sent again', true) },
    '  ✗ 400 ms outcome unknown: it was not sent again',
  ],
  [{ result: { isError: false, content: [{ type: 'image' }] } }, '  ✓ 400 ms [image]'],
  [{ result: { isError: false, content: [] } }, '  ✓ 400 ms'],
  [{ result: result('\u001b[2J\u202egone') }, '  ✓ 400 ms ⟨U+001B⟩[2J⟨U+202E⟩gone'],
] as [Partial<ToolCallPart>, string][])('the result row of %j shows the outcome', (part, row) => {
  expect(resultRow(call(part), false, paper)).toBe(row);
});

test('a parallel call is named in its result row, and a running call shows its progress', () => {
  expect(resultRow(call({ result: result('ok') }), true, paper)).toBe('  ✓ files read 400 ms ok');
  expect(progressText(call())).toBe('files read');
  expect(progressText(call({ progress: { progress: 2, total: 5, message: 'copy\ning' } }))).toBe(
    'files read 40 % copy ing',
  );
  expect(progressText(call({ progress: { progress: 7 } }))).toBe('files read 7');
});
