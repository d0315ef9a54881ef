import { stripTypeScriptTypes } from 'node:module';
import type { ScriptError } from './protocol.ts';

/** Removes the types of TypeScript. Every other character stays where it is, so that positions are those of the source. */
export function stripTypes(code: string): { readonly code: string } | { readonly error: ScriptError } {
  try {
    return { code: stripTypeScriptTypes(code) };
  } catch (cause) {
    const { message, stack = '' } = cause as Error;
    return { error: { name: 'SyntaxError', message, position: positionOf(stack) } };
  }
}

/** Node puts the line number and a marker under the column above the message. */
function positionOf(stack: string): string | undefined {
  const [first = '', ...lines] = stack.split('\n');
  const line = /:(\d+)$/.exec(first)?.[1];
  if (line === undefined) return undefined;
  const marker = lines.find((text) => /^ *\^+$/.test(text));
  return marker === undefined ? `line ${line}` : `line ${line}, column ${marker.indexOf('^') + 1}`;
}
