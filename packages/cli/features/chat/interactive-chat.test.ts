import pc from 'picocolors';
import { expect, test } from 'vitest';
import { createPromptLine } from './interactive-chat.ts';

function prompting(lines: (string | undefined)[], earlier: string[] = []) {
  const asked: { question: string; history: readonly string[] }[] = [];
  const prompt = createPromptLine(
    {
      noteColors: pc.createColors(false),
      async ask(question, _signal, options) {
        asked.push({ question, history: [...(options?.history ?? [])] });
        return lines.shift();
      },
    },
    earlier,
  );
  return { read: () => prompt.read(new AbortController().signal), asked };
}

test('a line that ends with a backslash continues on the next line', async () => {
  const { read, asked } = prompting(['one \\', 'two\\', 'three', 'alone']);
  expect(await read()).toBe('one \ntwo\nthree');
  expect(await read()).toBe('alone');
  expect(asked.map(({ question }) => question)).toEqual(['› ', '… ', '… ', '› ']);
});

test('the history has earlier messages, latest first, without consecutive duplicates', async () => {
  const { read, asked } = prompting(['one', 'one', '', 'two'], ['old', 'older\nlines']);
  for (let count = 0; count < 4; count++) await read();
  expect(asked.at(-1)?.history).toEqual(['one', 'older lines', 'old']);
});

test('the end of the input ends the prompt, even within a message', async () => {
  const { read } = prompting(['begun \\', undefined]);
  expect(await read()).toBeUndefined();
});
