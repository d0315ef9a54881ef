import { messageOf } from '../../kernel/errors.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import { confirm } from './confirm.ts';
import { type EditOptions, editText } from './edit-text.ts';
import { jsonText } from './json-text.ts';

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
    const value: unknown = JSON.parse(text);
    return isObject(value)
      ? { value }
      : { problem: 'The arguments must be a JSON object, such as {"path":"notes.txt"}' };
  } catch (cause) {
    return { problem: `Invalid JSON: ${messageOf(cause)}` };
  }
}
