import { Script } from 'node:vm';
import type { ScriptError } from './sandbox/protocol.ts';
import { findImport, toScriptSource } from './sandbox/script-source.ts';
import { stripTypes } from './sandbox/strip-types.ts';

/** The syntax error of a script in TypeScript or JavaScript; undefined if there is none. The script is parsed, not run. */
export function findSyntaxError(text: string): ScriptError | undefined {
  const { code } = toScriptSource(text);
  if (!parse(code)) return undefined;
  const imported = findImport(code);
  if (imported) return imported;
  const stripped = stripTypes(code);
  return 'error' in stripped ? stripped.error : parse(stripped.code);
}

const fileName = 'script';

/** Scripts may `await` and `return` at the top level, as the body of an asynchronous function may. */
function parse(code: string): ScriptError | undefined {
  try {
    new Script(`(async () => {${code}\n})`, { filename: fileName });
    return undefined;
  } catch (cause) {
    const { name, message, stack = '' } = cause as Error;
    const line = new RegExp(`^${fileName}:(\\d+)`).exec(stack)?.[1];
    return { name, message, position: line === undefined ? undefined : `line ${line}` };
  }
}
