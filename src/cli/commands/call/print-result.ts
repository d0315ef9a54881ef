import type { ToolView } from '../../../gateway/api/schemas/tools.ts';
import type { ToolResult } from '../../../kernel/tool.ts';
import { toDisplayText } from '../../../policy/display-text.ts';
import { exitCodeFor, exitCodes, reportFailure } from '../../errors.ts';
import { jsonText, oneLine } from '../../terminal/format.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { parametersOf } from './read-arguments.ts';

export interface PrintOptions {
  readonly json: boolean;
  /** The person at the terminal denied the call, so no hint is needed. */
  readonly isDenied: boolean;
}

/** Prints a result on stdout and a failure on stderr; returns the exit code. Control characters are escaped on a terminal. */
export function printResult(result: ToolResult, tool: ToolView, terminal: Terminal, options: PrintOptions): number {
  if (options.json) terminal.print(jsonText(toJson(result)));
  else if (!result.isError) printText(result, terminal);
  if (!result.isError) return exitCodes.ok;
  const { code, message } = result.failure ?? { code: 'TOOL_FAILED', message: result.text.replace(/^MCP error: /, '') };
  reportFailure(terminal, code, message, !options.isDenied);
  if (code === 'ARGUMENTS_INVALID') terminal.note(parametersText(tool, terminal));
  return exitCodeFor(code);
}

function printText({ text, structuredContent }: ToolResult, terminal: Terminal): void {
  const shown = text === '' && structuredContent !== undefined ? JSON.stringify(structuredContent, null, 2) : text;
  if (shown !== '') terminal.print(terminal.isPerson ? toDisplayText(shown, { maxLength: 1_000_000 }) : shown);
  else if (terminal.isPerson) terminal.note(terminal.noteColors.dim('(empty result)'));
}

function toJson({ isError, content, structuredContent, _meta, failure, callId }: ToolResult) {
  return { isError, content, structuredContent, _meta, failure, callId };
}

function parametersText(tool: ToolView, { noteColors: colors }: Terminal): string {
  const lines = parametersOf(tool).map(({ name, type, required, description, enum: values }) => {
    const facts = [type, required && 'required', values && `one of ${JSON.stringify(values)}`].filter(Boolean);
    const about = description ? `  ${colors.dim(oneLine(description))}` : '';
    return `    ${colors.cyan(oneLine(name))}  ${oneLine(facts.join(', '))}${about}`;
  });
  return lines.length > 0 ? `  Parameters:\n${lines.join('\n')}` : '  The tool takes no arguments.';
}
