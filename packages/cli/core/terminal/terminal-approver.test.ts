import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { ApprovalRequest } from '../../../toolwharf/policy/approval.ts';
import { createTerminal, type Terminal } from './terminal.ts';
import { createTerminalApprover, type PendingApproval } from './terminal-approver.ts';

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
  reason: 'the approval mode is always-ask',
  change: [{ path: '/description', kind: 'changed', before: 'Reads a file', after: 'Deletes\u001b[2J a file' }],
  askedAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-01T00:10:00.000Z',
};

const answerWith = (...lines: (string | undefined)[]) => answer([], lines);

async function answer(
  askPatterns: readonly string[],
  lines: (string | undefined)[],
  extended?: { readonly env: Record<string, string> },
  changes: Partial<PendingApproval> = {},
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
  const rememberedNote = 'Remembered in /data/approvals.json';
  const approver = createTerminalApprover(terminal, () => ({ rememberedNote, askPatterns, extended }));
  const given = await approver.ask({ ...request, ...changes } as ApprovalRequest, new AbortController().signal);
  return { answer: given, shown: String(streams.stderr.read()), asked, texts };
}

test('anything but a clear yes denies the call, and so does Enter [R16]', async () => {
  expect((await answerWith('y')).answer).toEqual({ kind: 'allow', scope: 'once' });
  expect((await answerWith('a')).answer).toEqual({ kind: 'allow', scope: 'once' });
  expect((await answerWith(' YES ')).answer).toEqual({ kind: 'allow', scope: 'once' });
  for (const no of ['', 'd', 'n', 'no', undefined]) expect((await answerWith(no)).answer).toEqual({ kind: 'deny' });
  const unsure = await answerWith('hm', 'yy', 'n');
  expect(unsure.answer).toEqual({ kind: 'deny' });
  expect(unsure.asked).toHaveLength(3);
});

test('an answer for all calls of a tool says where it is remembered', async () => {
  const { answer, shown } = await answerWith('t');
  expect(answer).toEqual({ kind: 'allow', scope: 'tool', audience: 'caller' });
  expect(shown).toContain('always this tool, for you');
  expect(shown).toContain('/data/approvals.json');
});

test('only a single call can be allowed if the configuration always asks about the tool', async () => {
  const { answer: given, asked, shown } = await answer(['files/delete'], ['t', 'y']);
  expect(given).toEqual({ kind: 'allow', scope: 'once' });
  expect(asked[0]).toBe('Run it? [a/D] ');
  expect(shown).not.toContain('always this');
});

test('the prompt shows tool, server, reason, arguments and changes, with control characters made visible [R18]', async () => {
  const { shown } = await answerWith('n');
  const wanted = [
    'mcp_files_delete',
    '(delete)',
    'files',
    'always-ask',
    'may be destructive',
    '"path"',
    'Reads a file',
    'Deletes',
  ];
  for (const part of wanted) expect(shown).toContain(part);
  expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

describe('a prompt with all choices', () => {
  const converse = (...lines: (string | undefined)[]) => answer([], lines, { env: {} });

  test.each([
    [['y'], { kind: 'allow', scope: 'once' }],
    [['c'], { kind: 'allow', scope: 'conversation' }],
    [['t', ''], { kind: 'allow', scope: 'tool', audience: 'caller' }],
    [['t', 'y'], { kind: 'allow', scope: 'tool', audience: 'everyone' }],
    [['s', 'n'], { kind: 'allow', scope: 'server', audience: 'caller' }],
    [[''], { kind: 'deny' }],
  ])('the answers %j have their own scope and audience [R14]', async (lines, given) => {
    expect((await converse(...lines)).answer).toEqual(given);
  });

  test('only the audiences that the person may choose are offered', async () => {
    const once = await answer([], ['t', 's', 'c', 'y'], { env: {} }, { audiences: [] });
    expect(once.answer).toEqual({ kind: 'allow', scope: 'once' });
    expect(once.asked[0]).toContain('[a/e/D]');
    const own = await answer([], ['t'], { env: {} }, { audiences: ['caller'], caller: { id: 'a', kind: 'assistant' } });
    expect(own.answer).toEqual({ kind: 'allow', scope: 'tool', audience: 'caller' });
    expect(own.asked).toHaveLength(1);
    expect(own.shown).toContain('always this tool, for this assistant');
  });

  test('a denial can include a reason', async () => {
    expect((await converse('n', ' not this file ')).answer).toEqual({ kind: 'deny', reason: 'not this file' });
    expect((await converse('n', '')).answer).toEqual({ kind: 'deny' });
    expect((await converse('n', undefined)).answer).toEqual({ kind: 'deny' });
  });

  test('arguments can be edited on a line that shows every character', async () => {
    const { answer: given, asked, texts } = await converse('e', '{"path":"/tmp/x"}');
    expect(given).toEqual({ kind: 'allow', scope: 'once', arguments: { path: '/tmp/x' } });
    expect(asked[1]).toBe('Arguments: ');
    expect(texts[1]).toBe('{"path":"/etc\\u202epasswd"}');
  });

  test('invalid arguments can be edited again, and unchanged arguments repeat the prompt', async () => {
    const { answer: given, shown } = await converse('e', '{"path":', '', '[1]', 'n', 'e', undefined, 'y');
    expect(given).toEqual({ kind: 'allow', scope: 'once' });
    expect(shown).toContain('Invalid JSON');
    expect(shown).toContain('The arguments must be a JSON object');
  });

  test('only a single call can be allowed or edited if the configuration always asks about the tool', async () => {
    const { answer: given, asked } = await answer(['mcp_files_*'], ['c', 't', 's', 'y'], { env: {} });
    expect(given).toEqual({ kind: 'allow', scope: 'once' });
    expect(asked[0]).toContain('[a/e/D]');
  });
});

test('the prompt shows every argument, and allows nothing if there are too many to show [O7]', async () => {
  const long = await answer([], ['y'], undefined, { arguments: { a: 'x'.repeat(50_000), path: 'DANGER' } });
  expect(long.shown).toContain('"path": "DANGER"');
  expect(long.shown).toContain('characters left out');
  expect(long.answer).toEqual({ kind: 'allow', scope: 'once' });
  const many = { arguments: Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`name${at}`, at])) };
  const refused = await answer([], ['y', 't', 'd'], undefined, many);
  expect(refused.shown).toContain('too many to be shown');
  expect(refused.answer).toMatchObject({ kind: 'deny' });
});

test('the path of data is shown, and one answer allows it for the conversation', async () => {
  const source = { server: 'crm', labels: ['private'] };
  const sources = [
    { ...source, call: 'c-1', tool: 'look\u202eup', kind: 'encoded', argument: '/path' },
    { labels: ['private'], kind: 'unknown' },
  ] as const;
  const flows = [{ id: 'to-web', labels: ['private'], within: 'arguments', sources }] as const;
  const { answer: given, shown } = await answer([], ['f'], undefined, { flows });
  expect(given).toEqual({ kind: 'allow', scope: 'flow' });
  expect(shown).toContain('private: crm/look⟨U+202E⟩up, call c-1, in /path, encoded');
  expect(shown).toContain('private: earlier calls that are not listed any more');
  expect((await answer([], ['f', 'd'])).answer).toEqual({ kind: 'deny' });
});
