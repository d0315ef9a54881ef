import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../kernel/errors.ts';
import type { Terminal } from './terminal.ts';

export interface EditOptions {
  readonly terminal: Terminal;
  /** Names the person's editor in VISUAL or EDITOR. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the line is for, where there is no editor. */
  readonly question: string;
  /** The file's name in the editor, which knows by its end what is in it. */
  readonly fileName: string;
  readonly signal?: AbortSignal;
}

/** The text as the person leaves it: in their own editor, or in a line here. Undefined when they give up. */
export async function editText(text: string, options: EditOptions): Promise<string | undefined> {
  const { terminal, env, question, signal } = options;
  const editor = env.VISUAL || env.EDITOR;
  if (!editor) return terminal.ask(question, signal, { text: text.replaceAll(/\s*\n\s*/g, ' ') });
  try {
    return await terminal.lend(() => editInFile(text, editor, options));
  } catch (cause) {
    if (!signal?.aborted) terminal.note(`The editor '${editor}' failed: ${messageOf(cause)}`);
    return undefined;
  }
}

async function editInFile(text: string, editor: string, { env, fileName, signal }: EditOptions): Promise<string> {
  // A directory of its own, which only its owner may look into.
  const directory = await mkdtemp(join(tmpdir(), 'toolwharf-'));
  try {
    const file = join(directory, fileName);
    await writeFile(file, `${text}\n`, { mode: 0o600 });
    // An editor's name may come with options.
    const child = spawn(`${editor} "${file}"`, { stdio: 'inherit', shell: true, env, ...(signal && { signal }) });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`it ended with ${code ?? 'a signal'}`);
    return (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
