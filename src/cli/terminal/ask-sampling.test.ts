import pc from 'picocolors';
import { expect, test } from 'vitest';
import { askSampling } from './ask-sampling.ts';
import type { Terminal } from './terminal.ts';

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
