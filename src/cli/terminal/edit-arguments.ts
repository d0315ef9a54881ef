import { messageOf } from '../../kernel/errors.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import { type EditOptions, editText } from './edit-text.ts';

/** A call's arguments as the person changed them; undefined when they left them as they were, or gave up. */
export async function editArguments(
  args: JsonObject,
  options: Pick<EditOptions, 'terminal' | 'env' | 'signal'>,
): Promise<JsonObject | undefined> {
  const { terminal, env } = options;
  const hasEditor = Boolean(env.VISUAL || env.EDITOR);
  const before = visible(hasEditor ? JSON.stringify(args, null, 2) : JSON.stringify(args));
  let text = before;
  for (;;) {
    const edited = await editText(text, { ...options, question: 'Arguments: ', fileName: 'arguments.json' });
    if (edited === undefined || edited.trim() === before) return undefined;
    const reading = read(edited);
    if ('value' in reading) return reading.value;
    terminal.note(terminal.noteColors.yellow(`  ${reading.problem}`));
    const again = await terminal.ask('Change them again? [Y/n] ', options.signal);
    if (again === undefined || /^n/i.test(again.trim())) return undefined;
    text = edited;
  }
}

function read(text: string): { readonly value: JsonObject } | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { value } : { problem: 'Arguments are a JSON object, such as {"path":"notes.txt"}' };
  } catch (cause) {
    return { problem: `That is not JSON: ${messageOf(cause)}` };
  }
}

/** The same JSON, with nothing in it that acts on a terminal or can't be seen. */
function visible(json: string): string {
  return json.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    if (character === '\n') return character;
    return [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join('');
  });
}
