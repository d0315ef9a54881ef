import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import type { Environment } from '../../../toolwharf/config/references.ts';
import { parseExactly } from '../../../toolwharf/kernel/exact-json.ts';
import { confirm } from './confirm.ts';
import { jsonText } from './format.ts';
import type { Terminal } from './terminal.ts';

export interface EditOptions {
  readonly terminal: Terminal;
  /** VISUAL or EDITOR names the editor. */
  readonly env: Environment;
  /** The prompt, if there is no editor. */
  readonly question: string;
  /** The file name shown to the editor, which infers the syntax from its extension. */
  readonly fileName: string;
  readonly signal?: AbortSignal;
}

/** Lets the person edit a text in their editor, or on a prompt line if they have none; undefined if they give up. */
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
  // mkdtemp creates a directory that only its owner can read.
  const directory = await mkdtemp(join(tmpdir(), 'toolwharf-'));
  try {
    const file = join(directory, fileName);
    await writeFile(file, `${text}\n`, { mode: 0o600 });
    // A shell, since EDITOR may contain options.
    const child = spawn(`${editor} "${file}"`, { stdio: 'inherit', shell: true, env, signal });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(code === null ? 'it was killed' : `exit code ${code}`);
    return (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Lets the person edit a call's arguments; undefined if they change nothing or give up. */
export async function editArguments(
  args: JsonObject,
  options: Pick<EditOptions, 'terminal' | 'env' | 'signal'>,
): Promise<JsonObject | undefined> {
  const { terminal, env, signal } = options;
  const before = jsonText(args, { indent: env.VISUAL || env.EDITOR ? 2 : 0 });
  let text = before;
  for (;;) {
    const edited = await editText(text, { ...options, question: 'Arguments: ', fileName: 'arguments.json' });
    if (edited === undefined || edited.trim() === before) return undefined;
    const parsed = parse(edited);
    if ('value' in parsed) return parsed.value;
    terminal.note(terminal.noteColors.yellow(`  ${parsed.problem}`));
    if (!(await confirm(terminal, 'Edit them again?', { signal, fallback: true }))) return undefined;
    text = edited;
  }
}

function parse(text: string): { readonly value: JsonObject } | { readonly problem: string } {
  try {
    const value = parseExactly(text);
    return isObject(value)
      ? { value }
      : { problem: 'The arguments must be a JSON object, such as {"path":"notes.txt"}' };
  } catch (cause) {
    return { problem: `Invalid JSON: ${messageOf(cause)}` };
  }
}
