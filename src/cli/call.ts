import { join } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { dataDirectory } from '../config/data-directory.ts';
import { readDuration } from '../config/durations.ts';
import { createDeadline, type Deadline } from '../invocation/deadline.ts';
import { ToolwharfError } from '../kernel/errors.ts';
import type { Progress, Tool, ToolResult } from '../kernel/tool.ts';
import { toDisplayText } from '../policy/display-text.ts';
import { pauseWhileAsked } from '../servers/pause-while-asked.ts';
import type { CommandContext } from './command.ts';
import { exitCodeFor, exitCodes } from './exit-codes.ts';
import { findTool } from './find-tool.ts';
import { oneLine } from './layout.ts';
import { openToolbox } from './open-toolbox.ts';
import { type ArgumentOptions, parametersOf, readArguments } from './read-arguments.ts';
import { reportFailure } from './report-error.ts';
import { createRuleFile } from './rule-file.ts';
import type { Terminal } from './terminal.ts';
import { createTerminalApprover } from './terminal-approver.ts';
import { logLine } from './terminal-log.ts';
import { createTerminalQuestions } from './terminal-questions.ts';
import { UsageError } from './usage-error.ts';

export interface CallOptions extends ArgumentOptions {
  readonly json?: boolean;
  readonly timeout?: string;
}

/** `toolwharf call`: one call, its result on stdout. */
export async function call(name: string, options: CallOptions, context: CommandContext): Promise<number> {
  const { terminal, env } = context;
  const timeoutMs = options.timeout === undefined ? undefined : parseTimeout(options.timeout);
  const given = await readArguments(options, () => readStdin(context));
  const rulesFile = join(dataDirectory(env), 'approvals.json');
  let deadline: Deadline | undefined;
  const pause = () => deadline?.pause() ?? (() => {});

  await using opened = await openToolbox(context, {
    rules: createRuleFile(rulesFile),
    ...(terminal.canAsk && {
      approver: whilePaused(createTerminalApprover(terminal, { rulesFile }), pause),
      questions: pauseWhileAsked(createTerminalQuestions(terminal), pause),
    }),
  });
  const { toolbox, servers } = opened;
  const tool = findTool(name, toolbox.tools, servers);
  const args = given.for(tool, (message) => terminal.note(logLine(terminal, 'warning', message)));

  using limit = timeoutMs === undefined ? undefined : createDeadline(timeoutMs);
  deadline = limit;
  const signal = limit ? AbortSignal.any([context.signal, timedOut(limit, tool, options.timeout)]) : context.signal;
  terminal.status(`${oneLine(tool.name)} …`);
  let isRefused = false;
  toolbox.on('approval.answered', ({ answer }) => {
    isRefused = answer.kind === 'deny';
  });
  const result = await toolbox.call(tool.name, args, {
    signal,
    caller: { id: 'cli', kind: 'person' },
    onProgress: (progress) => terminal.status(progressText(tool, progress)),
  });
  terminal.status();
  if (options.json) terminal.print(JSON.stringify(toJson(result), null, 2));
  if (!result.isError) {
    if (!options.json) printResult(result, terminal);
    return exitCodes.ok;
  }
  const { code, message } = result.failure ?? { code: 'TOOL_FAILED', message: result.text.replace(/^MCP error: /, '') };
  reportFailure(terminal, code, message, !isRefused);
  if (code === 'ARGUMENTS_INVALID') terminal.note(parametersText(tool, terminal));
  return exitCodeFor(code);
}

function printResult({ text, structuredContent }: ToolResult, terminal: Terminal): void {
  const shown = text === '' && structuredContent !== undefined ? JSON.stringify(structuredContent, null, 2) : text;
  if (shown !== '') terminal.print(terminal.isPerson ? toDisplayText(shown, { maxLength: 1_000_000 }) : shown);
  else if (terminal.isPerson) terminal.note(terminal.noteColors.dim('(an empty result)'));
}

function toJson({ isError, content, structuredContent, _meta, failure, callId }: ToolResult) {
  return { isError, content, structuredContent, _meta, failure, callId };
}

function parametersText(tool: Tool, { noteColors: colors }: Terminal): string {
  const lines = parametersOf(tool).map(({ name, type, required, description, enum: values }) => {
    const facts = [
      type,
      ...(required ? ['required'] : []),
      ...(values ? [`one of ${JSON.stringify(values)}`] : []),
    ].join(', ');
    return `    ${colors.cyan(oneLine(name))}  ${oneLine(facts)}${description ? `  ${colors.dim(oneLine(description))}` : ''}`;
  });
  return lines.length > 0 ? `  It takes:\n${lines.join('\n')}` : '  It takes no arguments.';
}

function progressText(tool: Tool, { progress, total, message }: Progress): string {
  const part = total ? `${Math.floor((100 * progress) / total)} %` : String(progress);
  return `${oneLine(tool.name)} ${part}${message ? ` ${oneLine(message)}` : ''} …`;
}

function parseTimeout(text: string): number {
  const reading = readDuration(text);
  if ('ms' in reading && reading.ms > 0) return reading.ms;
  throw new UsageError(`--timeout: ${'reason' in reading ? reading.reason : 'must be positive'}`);
}

/** A signal whose reason says that the time of the command line was used up: that is not a cancelled call. */
function timedOut(limit: Deadline, tool: Tool, timeout: string | undefined): AbortSignal {
  const controller = new AbortController();
  const message = `${tool.name} did not finish within ${timeout} (--timeout)`;
  limit.signal.addEventListener('abort', () => controller.abort(new ToolwharfError('CALL_TIMED_OUT', message)), {
    once: true,
  });
  return controller.signal;
}

/** The person's thinking time does not count against `--timeout`. */
function whilePaused(approver: ReturnType<typeof createTerminalApprover>, pause: () => () => void): typeof approver {
  return {
    async ask(request, signal) {
      const resume = pause();
      try {
        return await approver.ask(request, signal);
      } finally {
        resume();
      }
    },
  };
}

function readStdin({ terminal, signal }: CommandContext): Promise<string> {
  if (process.stdin.isTTY) terminal.note(terminal.noteColors.dim('Type the arguments as a JSON object, then Ctrl-D:'));
  return readText(addAbortSignal(signal, process.stdin));
}
