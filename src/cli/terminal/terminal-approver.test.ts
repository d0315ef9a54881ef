import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { ApprovalRequest } from '../../policy/approval.ts';
import { createTerminal, type Terminal } from './terminal.ts';
import { createTerminalApprover } from './terminal-approver.ts';

const request: ApprovalRequest = {
  id: '1',
  callId: '2',
  caller: { id: 'cli', kind: 'person' },
  server: 'files',
  tool: 'mcp_files_delete',
  originalName: 'delete',
  description: 'Deletes a file',
  annotations: { destructiveHint: true },
  arguments: { path: '/etc\u202epasswd' },
  argumentsHash: 'a',
  definitionHash: 'b',
  reason: 'approval mode is always-ask',
  change: [{ path: '/description', kind: 'changed', before: 'Reads a file', after: 'Deletes\u001b[2J a file' }],
  askedAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-01T00:10:00.000Z',
};

const answerWith = (...lines: (string | undefined)[]) => answer(false, lines);

async function answer(
  isAskedAlways: boolean,
  lines: (string | undefined)[],
  conversation?: { readonly env: Record<string, string> },
) {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const plain = createTerminal({ ...streams, env: {}, onInterrupt: () => {} });
  const asked: string[] = [];
  const texts: (string | undefined)[] = [];
  const terminal: Terminal = {
    ...plain,
    width: 80,
    async ask(question, _signal, options) {
      asked.push(question);
      texts.push(options?.text);
      return lines.shift();
    },
  };
  const approver = createTerminalApprover(terminal, {
    rememberedNote: 'Kept in /data/approvals.json',
    isAskedAlways: () => isAskedAlways,
    ...(conversation && { conversation }),
  });
  const given = await approver.ask(request, new AbortController().signal);
  return { answer: given, shown: String(streams.stderr.read()), asked, texts };
}

test('only a clear yes is a yes, and the safe answer is the short one [R16]', async () => {
  expect((await answerWith('y')).answer).toEqual({ kind: 'allow', scope: 'once' });
  expect((await answerWith(' YES ')).answer).toEqual({ kind: 'allow', scope: 'once' });
  for (const no of ['', 'n', 'no', undefined]) expect((await answerWith(no)).answer).toEqual({ kind: 'deny' });
  const unsure = await answerWith('hm', 'yy', 'n');
  expect(unsure.answer).toEqual({ kind: 'deny' });
  expect(unsure.asked).toHaveLength(3);
});

test('always means this tool, and the person learns where that is kept', async () => {
  const { answer, shown } = await answerWith('a');
  expect(answer).toEqual({ kind: 'allow', scope: 'tool' });
  expect(shown).toContain('/data/approvals.json');
});

test('always is neither offered nor taken where the configuration asks each time', async () => {
  const { answer: given, asked } = await answer(true, ['a', 'y']);
  expect(given).toEqual({ kind: 'allow', scope: 'once' });
  expect(asked[0]).not.toContain('always');
});

test('the person sees what runs where, with what, why, and what changed, and nothing acts on the terminal [R18]', async () => {
  const { shown } = await answerWith('n');
  const wanted = [
    'mcp_files_delete',
    '(delete)',
    'files',
    'always-ask',
    'may destroy',
    '"path"',
    'Reads a file',
    'Deletes',
  ];
  for (const part of wanted) expect(shown).toContain(part);
  expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

describe('in a conversation', () => {
  const converse = (...lines: (string | undefined)[]) => answer(false, lines, { env: {} });

  test.each([
    ['y', { kind: 'allow', scope: 'once' }],
    ['c', { kind: 'allow', scope: 'conversation' }],
    ['a', { kind: 'allow', scope: 'tool' }],
    ['s', { kind: 'allow', scope: 'server' }],
    ['', { kind: 'deny' }],
  ])('%s is an answer of its own reach [R14]', async (line, given) => {
    expect((await converse(line)).answer).toEqual(given);
  });

  test('a no may have a reason', async () => {
    expect((await converse('n', ' not this file ')).answer).toEqual({ kind: 'deny', reason: 'not this file' });
    expect((await converse('n', '')).answer).toEqual({ kind: 'deny' });
    expect((await converse('n', undefined)).answer).toEqual({ kind: 'deny' });
  });

  test('arguments can be changed, in a line that hides nothing', async () => {
    const { answer: given, asked, texts } = await converse('e', '{"path":"/tmp/x"}');
    expect(given).toEqual({ kind: 'allow', scope: 'once', arguments: { path: '/tmp/x' } });
    expect(asked[1]).toBe('Arguments: ');
    expect(texts[1]).toBe('{"path":"/etc\\u202epasswd"}');
  });

  test('what is no object is changed again, and leaving the arguments alone asks the question again', async () => {
    const { answer: given, shown } = await converse('e', '{"path":', '', '[1]', 'n', 'e', undefined, 'y');
    expect(given).toEqual({ kind: 'allow', scope: 'once' });
    expect(shown).toContain('That is not JSON');
    expect(shown).toContain('Arguments are a JSON object');
  });

  test('where the configuration asks each time, only once is offered', async () => {
    const { answer: given, asked } = await answer(true, ['c', 'a', 's', 'y'], { env: {} });
    expect(given).toEqual({ kind: 'allow', scope: 'once' });
    expect(asked[0]).toContain('[y/e/N]');
  });
});
