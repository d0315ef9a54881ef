import { offsetOfLine, type Position } from './script-source.ts';
import { endsOperand, readTokens, type ScriptToken } from './script-tokens.ts';

/** A script that does the same, in which QuickJS knows more positions. */
export interface MarkedScript {
  readonly code: string;
  /** The position in the script without marks. */
  toOriginal(position: Position): Position;
}

interface Edit {
  readonly start: number;
  readonly length: number;
  readonly text: string;
}

/** QuickJS remembers the positions of calls and of operators with two operands, but not those of members. */
const mark = '""-""';
const statements = new Set(['if', 'while', 'for', 'switch', 'const', 'let', 'var', 'return', 'throw']);
const notMarked = /^(?:function|class|async|[;}\])])$/;

/**
 * Adds marks before reads of members, values that are taken apart, and statements. Lines stay the same. The script is read without a
 * parser: where a mark is at the wrong place, the script does not compile or ends otherwise, and its positions do not count.
 */
export function markPositions(code: string, { withSpread }: { readonly withSpread: boolean }): MarkedScript {
  const tokens = readTokens(code);
  const edits = tokens.flatMap((_, index) => editsAt(tokens, index, code, withSpread));
  let marked = '';
  let end = 0;
  for (const { start, length, text } of edits) {
    marked += code.slice(end, start) + text;
    end = start + length;
  }
  marked += code.slice(end);
  return { code: marked, toOriginal: (position) => toOriginal(code, edits, position) };
}

function editsAt(tokens: readonly ScriptToken[], index: number, code: string, withSpread: boolean): readonly Edit[] {
  const [before, token, next] = [tokens[index - 1], tokens[index], tokens[index + 1]] as [
    ScriptToken | undefined,
    ScriptToken,
    ScriptToken | undefined,
  ];
  const { text, start, kind } = token;
  const after = start + text.length;
  const prefix = (): readonly Edit[] =>
    next && !notMarked.test(next.text) ? [{ start: after, length: 0, text: ` ${mark}?0:` }] : [];
  if ((text === '.' || text === '?.') && next?.kind === 'name' && !next.text.startsWith('#')) {
    if (before?.text === 'new' || before?.text === 'import') return [];
    return [
      { start, length: text.length, text: text === '.' ? '[' : '?.[' },
      { start: next.start, length: next.text.length, text: `${mark},"${next.text}"]` },
    ];
  }
  if (text === '[' && (before?.text === '?.' || endsOperand(tokens, index - 1)))
    return [{ start: after, length: 0, text: `${mark},` }];
  if (text === '=' || (text === '=>' && next?.text !== '{')) return prefix();
  if (text === '...' && withSpread) return prefix();
  if (kind === 'name' && text === 'of' && (endsOperand(tokens, index - 1) || before?.text === '}')) return prefix();
  if (kind !== 'name' || !statements.has(text) || !startsStatement(tokens, index, code)) return [];
  return [{ start, length: 0, text: `;${mark};` }];
}

function startsStatement(tokens: readonly ScriptToken[], index: number, code: string): boolean {
  const [before, token, next] = [tokens[index - 1], tokens[index] as ScriptToken, tokens[index + 1]];
  if (next && /^[:,=]$/.test(next.text)) return false;
  if (!before || /^[;{}]$/.test(before.text)) return true;
  return endsOperand(tokens, index - 1) && code.slice(before.start + before.text.length, token.start).includes('\n');
}

function toOriginal(code: string, edits: readonly Edit[], { line, column }: Position): Position {
  const lineStart = offsetOfLine(code, line);
  let shift = 0;
  for (const { start, length, text } of edits) {
    if (start < lineStart) continue;
    const at = lineStart + column - 1 - shift;
    if (at < start) break;
    // Within the mark.
    if (at < start + text.length) return { line, column: start - lineStart + 1 };
    shift += text.length - length;
  }
  return { line, column: column - shift };
}
