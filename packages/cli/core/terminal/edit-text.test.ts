import { existsSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/support/fixtures.ts';
import { editText } from './edit-text.ts';
import type { Terminal } from './terminal.ts';

function person(line?: string) {
  const notes: string[] = [];
  const asked: (string | undefined)[] = [];
  const terminal = {
    note: (text: string) => notes.push(text),
    ask: async (_question: string, _signal?: AbortSignal, options?: { text?: string }) => {
      asked.push(options?.text);
      return line;
    },
    lend: (work: () => Promise<unknown>) => work(),
  } as unknown as Terminal;
  return { terminal, notes, asked };
}

const place = { question: 'Text: ', fileName: 'text.md' };

test('a text is edited in $VISUAL or $EDITOR, and the temporary file is removed', async () => {
  await using directory = await tempDir();
  const editor = directory.file('editor.mjs');
  await writeFile(
    editor,
    `#!${process.execPath}
import { readFileSync, writeFileSync } from 'node:fs';
const file = process.argv.at(-1);
writeFileSync(${JSON.stringify(directory.file('seen'))}, file);
writeFileSync(file, readFileSync(file, 'utf8').toUpperCase() + process.argv[2] + '\\n');`,
  );
  await chmod(editor, 0o755);
  const env = { EDITOR: `${editor} --wait` };
  expect(await editText('one\ntwo', { ...person(), ...place, env })).toBe(`ONE\nTWO\n--wait`);
  const file = await readFile(directory.file('seen'), 'utf8');
  expect(existsSync(dirname(file))).toBe(false);
});

test('a failing editor is reported and leaves the text unchanged', async () => {
  const { terminal, notes } = person();
  expect(await editText('one', { terminal, ...place, env: { VISUAL: 'exit 3; :' } })).toBeUndefined();
  expect(notes).toEqual(["The editor 'exit 3; :' failed: exit code 3"]);
});

test('without an editor, the text is edited on one prompt line', async () => {
  const { terminal, asked } = person('changed');
  expect(await editText('one\n  two', { terminal, ...place, env: {} })).toBe('changed');
  expect(asked).toEqual(['one two']);
});
