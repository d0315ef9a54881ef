import { PassThrough } from 'node:stream';
import pc from 'picocolors';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../contract/json.ts';
import { createTerminal, type Terminal } from './terminal.ts';
import { askSampling, createTerminalQuestions } from './terminal-questions.ts';

async function answer(params: JsonObject, ...lines: string[]) {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const plain = createTerminal({ ...streams, env: {}, onInterrupt: () => {} });
  const asked: string[] = [];
  const terminal: Terminal = {
    ...plain,
    width: 80,
    async ask(question) {
      asked.push(question);
      return lines.shift();
    },
  };
  const { elicit } = createTerminalQuestions(terminal);
  const given = await elicit?.(params, { server: 'passport-office', signal: new AbortController().signal });
  return { given, shown: String(streams.stderr.read()), asked, left: lines };
}

const form = {
  message: 'Who are you?\u001b[2J',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      age: { type: 'integer', default: 30 },
      note: { type: 'string' },
    },
    required: ['name'],
  },
};

test('a form names the server, is filled in field by field, and is sent only after confirmation', async () => {
  const { given, shown, asked } = await answer(form, '', 'Ada', 'old', '36', '', 'y');
  expect(given).toEqual({ action: 'accept', content: { name: 'Ada', age: 36 } });
  expect(shown).toContain("Server 'passport-office' asks");
  expect(shown).not.toContain('\u001b');
  expect(shown).toContain('required');
  expect(shown).toContain('enter a number');
  expect(asked.at(-1)).toContain("Send this to 'passport-office'?");
});

test('an empty line uses the default value', async () => {
  const { given } = await answer(form, 'Ada', '', '', 'yes');
  expect(given).toEqual({ action: 'accept', content: { name: 'Ada', age: 30 } });
});

test('answering no declines, ending the input cancels, and neither sends the entered values', async () => {
  expect((await answer(form, 'Ada', '', '', 'n')).given).toEqual({ action: 'decline' });
  expect((await answer(form, 'Ada')).given).toEqual({ action: 'cancel' });
});

test('a URL is shown but not opened, and the person confirms when they are done', async () => {
  const visit = { mode: 'url', message: 'Please sign in', url: 'https://example.com/sign-in', elicitationId: '1' };
  const { given, shown } = await answer(visit, 'y');
  expect(given).toEqual({ action: 'accept' });
  expect(shown).toContain('https://example.com/sign-in');
  expect((await answer(visit, 'n')).given).toEqual({ action: 'decline' });
  expect((await answer(visit)).given).toEqual({ action: 'cancel' });
});

test('a request without fields is a yes/no question', async () => {
  expect((await answer({ message: 'Sure?' }, 'y')).given).toEqual({ action: 'accept', content: {} });
});

const params = {
  systemPrompt: 'Be brief.',
  messages: [
    { role: 'user', content: { type: 'text', text: 'Sum\u001b[2J it up' } },
    {
      role: 'user',
      content: [
        { type: 'image', data: '' },
        { type: 'text', text: 'this' },
      ],
    },
  ],
  maxTokens: 200,
};

async function ask(...lines: (string | undefined)[]) {
  let shown = '';
  const terminal = {
    noteColors: pc.createColors(false),
    note: (text: string) => {
      shown += text;
    },
    ask: async () => lines.shift(),
  } as unknown as Terminal;
  return { allowed: await askSampling(terminal, { server: 'files', params }, new AbortController().signal), shown };
}

test('a sampling request is shown in full and allowed only by a clear yes', async () => {
  const { allowed, shown } = await ask('hm', 'y');
  expect(allowed).toBe(true);
  for (const part of ["Server 'files' requests", 'Be brief.', 'Sum⟨U+001B⟩[2J it up', '[image]', 'this', '200 tokens'])
    expect(shown).toContain(part);
  for (const no of ['', 'n', 'NO', undefined]) expect((await ask(no)).allowed).toBe(false);
});
