import type { ScriptError } from './protocol.ts';
import { readTokens } from './script-tokens.ts';

/** A script as QuickJS runs it. Lines and columns are those of the text that the model wrote. */
export interface ScriptSource {
  readonly code: string;
  /** The value of this expression is the result, if the script has a default export. */
  readonly result?: string;
  /** Says what of the text is not run. */
  readonly note?: string;
}

const defaultExport = 'const $default=';

/** Removes what models put around scripts: Markdown fences and exports. */
export function toScriptSource(text: string): ScriptSource {
  const { code, note } = stripFence(text);
  const masked = maskTexts(code);
  let source = code;
  let result: string | undefined;
  for (const { 0: found, 1: lead = '', 2: isDefault, index } of masked.matchAll(
    /^([ \t]*)export[ \t]+(default\b[ \t]*)?(?=[\w({[])/gm,
  )) {
    const length = found.length - lead.length;
    if (isDefault) result = 'typeof $default === "function" ? await $default(input) : await $default';
    const replaced = isDefault ? defaultExport.padEnd(length) : ' '.repeat(length);
    const start = index + lead.length;
    source = source.slice(0, start) + replaced + source.slice(start + length);
  }
  return { code: source, result, note };
}

/** Explains why a script with an import is not valid; undefined if it has none. */
export function findImport(code: string): ScriptError | undefined {
  const match = /^[ \t]*import\b(?!\s*[.(])/m.exec(maskTexts(code));
  if (!match) return undefined;
  const line = code.slice(0, match.index).split('\n').length;
  return {
    name: 'SyntaxError',
    message: 'Scripts cannot import modules: remove the import, and call tools with tools.SERVER.TOOL({ ... })',
    position: `line ${line}`,
    frame: toFrame(code, line),
  };
}

const fencePattern = /^[ \t]*(```+|~~~+)[^`\n]*$/gm;
const ignoredText =
  'Only the first fenced block of code was run, and the text around it was ignored: send the script without Markdown';

/**
 * The code between the first Markdown fences, or without an end of the fence, up to the end. There are as many empty lines before it
 * as it had before it, so that line numbers stay the same.
 */
function stripFence(text: string): Pick<ScriptSource, 'code' | 'note'> {
  const fences = [...text.matchAll(fencePattern)];
  if (fences.length === 0) return { code: text };
  const texts = readTokens(text).filter(({ kind }) => kind === 'text');
  const isInText = (at: number) => texts.some(({ start, text: { length } }) => start < at && at < start + length);
  const opening = fences.find(({ 0: line, index }) => !isInText(index + line.search(/\S/)));
  if (!opening) return { code: text };
  const start = opening.index + opening[0].length + 1;
  const [, fence = ''] = opening;
  const closing = fences.find(({ 0: line, index }) => index >= start && line.trim() === fence);
  const end = closing?.index ?? text.length;
  const before = text.slice(0, opening.index);
  const after = closing ? text.slice(end + closing[0].length) : '';
  const code = text.slice(0, start).replace(/[^\n]/g, '') + text.slice(start, end);
  return { code, note: `${before}${after}`.trim() === '' ? undefined : ignoredText };
}

/** The code with blanks instead of comments and the contents of texts. */
function maskTexts(code: string): string {
  let masked = '';
  for (const { kind, text, start } of readTokens(code)) {
    if (kind !== 'text' && kind !== 'regex') masked += blank(code.slice(masked.length, start)) + text;
  }
  return masked + blank(code.slice(masked.length));
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

const around = 2;
const maxFrameLine = 160;

/** The line of an error with those around it. */
export function toFrame(code: string, line: number): string | undefined {
  const lines = code.split('\n');
  if (line < 1 || line > lines.length) return undefined;
  const first = Math.max(1, line - around);
  const last = Math.min(lines.length, line + around);
  const width = String(last).length;
  return lines
    .slice(first - 1, last)
    .map((text, at) => {
      const number = first + at;
      const shown = text.length > maxFrameLine ? `${text.slice(0, maxFrameLine)}…` : text;
      return `${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${shown}`.trimEnd();
    })
    .join('\n');
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The first place from a position on where a variable is read. */
export function findVariable(code: string, name: string, { line, column }: Position): Position | undefined {
  const from = offsetOfLine(code, line) + column - 1;
  const tokens = readTokens(code);
  const token = tokens.find(
    ({ kind, text, start }, index) =>
      start >= from && kind === 'name' && text === name && !/^\??\.$/.test(tokens[index - 1]?.text ?? ''),
  );
  if (!token) return undefined;
  const before = code.slice(0, token.start);
  return { line: before.split('\n').length, column: token.start - before.lastIndexOf('\n') };
}

/** Where a line begins, counted from 1. */
export function offsetOfLine(code: string, line: number): number {
  let offset = 0;
  for (let number = 1; number < line; number++) {
    const end = code.indexOf('\n', offset);
    if (end < 0) return code.length;
    offset = end + 1;
  }
  return offset;
}
