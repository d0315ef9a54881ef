import { join } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { dataDirectory } from '../../../config/data-directory.ts';
import type { Progress, Tool } from '../../../kernel/tool.ts';
import { isAskedAlways } from '../../backend/is-asked-always.ts';
import { openToolbox } from '../../backend/open-toolbox.ts';
import { createRuleFile } from '../../backend/rule-file.ts';
import type { CommandContext } from '../../command.ts';
import { oneLine } from '../../terminal/layout.ts';
import { createTerminalApprover } from '../../terminal/terminal-approver.ts';
import { logLine } from '../../terminal/terminal-log.ts';
import { createTerminalQuestions } from '../../terminal/terminal-questions.ts';
import { createCallLimit } from './call-limit.ts';
import { findTool } from './find-tool.ts';
import { printResult } from './print-result.ts';
import { type ArgumentOptions, readArguments } from './read-arguments.ts';

export interface CallOptions extends ArgumentOptions {
  readonly json?: boolean;
  readonly timeout?: string;
}

/** `toolwharf call`: one call, its result on stdout. */
export async function call(name: string, options: CallOptions, context: CommandContext): Promise<number> {
  const { terminal } = context;
  using limit = createCallLimit(options.timeout);
  const given = await readArguments(options, () => readStdin(context));
  const rulesFile = join(dataDirectory(context.env), 'approvals.json');
  let askPatterns: readonly string[] = [];
  const approver = createTerminalApprover(terminal, {
    rememberedNote: `Remembered in ${rulesFile}; remove it there to be asked again.`,
    isAskedAlways: (request) => isAskedAlways(request, askPatterns),
  });

  await using opened = await openToolbox(context, {
    rules: createRuleFile(rulesFile),
    ...(terminal.canAsk && { approver, host: createTerminalQuestions(terminal) }),
  });
  const { toolbox, servers, config } = opened;
  askPatterns = config.toolbox.approval.ask;
  const tool = findTool(name, toolbox.tools, servers);
  const args = given.for(tool, (message) => terminal.note(logLine(terminal, 'warning', message)));

  let isRefused = false;
  toolbox.on('approval.answered', ({ answer }) => {
    isRefused = answer.kind === 'deny';
  });
  terminal.status(`${oneLine(tool.name)} …`);
  const call = toolbox.start(tool.name, args, {
    signal: AbortSignal.any([context.signal, limit.start(tool.name)]),
    caller: { id: 'cli', kind: 'person' },
    host: { onProgress: (progress) => terminal.status(progressText(tool, progress)) },
  });
  limit.pauseWhileAsking(call);
  const result = await call.result;
  terminal.status();
  return printResult(result, tool, terminal, { json: options.json ?? false, isRefused });
}

function progressText(tool: Tool, { progress, total, message }: Progress): string {
  const part = total ? `${Math.floor((100 * progress) / total)} %` : String(progress);
  return `${oneLine(tool.name)} ${part}${message ? ` ${oneLine(message)}` : ''} …`;
}

function readStdin({ terminal, signal }: CommandContext): Promise<string> {
  if (process.stdin.isTTY) terminal.note(terminal.noteColors.dim('Type the arguments as a JSON object, then Ctrl-D:'));
  return readText(addAbortSignal(signal, process.stdin));
}
