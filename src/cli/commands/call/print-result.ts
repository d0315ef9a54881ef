import type { Tool, ToolResult } from '../../../kernel/tool.ts';
import { toDisplayText } from '../../../policy/display-text.ts';
import { exitCodeFor, exitCodes } from '../../exit-codes.ts';
import { reportFailure } from '../../report-error.ts';
import { jsonText } from '../../terminal/json-text.ts';
import { oneLine } from '../../terminal/layout.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { parametersOf } from './read-arguments.ts';

export interface PrintOptions {
  readonly json: boolean;
  /** The person said no: they need no advice. */
  readonly isRefused: boolean;
}

/** A call's result on stdout, its failure on stderr; gives the exit code. What a person sees does nothing to their terminal. */
export function printResult(result: ToolResult, tool: Tool, terminal: Terminal, options: PrintOptions): number {
  if (options.json) terminal.print(jsonText(toJson(result)));
  else if (!result.isError) printText(result, terminal);
  if (!result.isError) return exitCodes.ok;
  const { code, message } = result.failure ?? { code: 'TOOL_FAILED', message: result.text.replace(/^MCP error: /, '') };
  reportFailure(terminal, code, message, !options.isRefused);
  if (code === 'ARGUMENTS_INVALID') terminal.note(parametersText(tool, terminal));
  return exitCodeFor(code);
}

function printText({ text, structuredContent }: ToolResult, terminal: Terminal): void {
  const shown = text === '' && structuredContent !== undefined ? JSON.stringify(structuredContent, null, 2) : text;
  if (shown !== '') terminal.print(terminal.isPerson ? toDisplayText(shown, { maxLength: 1_000_000 }) : shown);
  else if (terminal.isPerson) terminal.note(terminal.noteColors.dim('(an empty result)'));
}

function toJson({ isError, content, structuredContent, _meta, failure, callId }: ToolResult) {
  return { isError, content, structuredContent, _meta, failure, callId };
}

function parametersText(tool: Tool, { noteColors: colors }: Terminal): string {
  const lines = parametersOf(tool).map(({ name, type, required, description, enum: values }) => {
    const facts = [type, ...(required ? ['required'] : []), ...(values ? [`one of ${JSON.stringify(values)}`] : [])];
    const about = description ? `  ${colors.dim(oneLine(description))}` : '';
    return `    ${colors.cyan(oneLine(name))}  ${oneLine(facts.join(', '))}${about}`;
  });
  return lines.length > 0 ? `  It takes:\n${lines.join('\n')}` : '  It takes no arguments.';
}
