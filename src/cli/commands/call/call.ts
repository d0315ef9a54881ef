import { join } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { dataDirectory } from '../../../config/data-directory.ts';
import type { Progress, Tool } from '../../../kernel/tool.ts';
import { openToolbox } from '../../backend/open-toolbox.ts';
import { createRuleFile } from '../../backend/rule-file.ts';
import type { CommandContext, JsonOption } from '../../command-context.ts';
import { oneLine } from '../../terminal/format.ts';
import { createTerminalApprover } from '../../terminal/terminal-approver.ts';
import { logLine } from '../../terminal/terminal-log.ts';
import { createTerminalQuestions } from '../../terminal/terminal-questions.ts';
import { createCallTimeout } from './call-timeout.ts';
import { findTool } from './find-tool.ts';
import { printResult } from './print-result.ts';
import { type ArgumentOptions, readArguments } from './read-arguments.ts';

export interface CallOptions extends ArgumentOptions, JsonOption {
  readonly timeout?: string;
}

/** `toolwharf call`: calls one tool and prints its result on stdout. */
export async function call(
  name: string,
  pairs: readonly string[],
  options: CallOptions,
  context: CommandContext,
): Promise<number> {
  const { terminal } = context;
  using timeout = createCallTimeout(options.timeout);
  const { args: json, arg = [] } = options;
  const parsed = await readArguments({ args: json, arg: [...arg, ...pairs] }, () => readStdin(context));
  const rulesFile = join(dataDirectory(context.env), 'approvals.json');
  let askPatterns: readonly string[] = [];
  const rememberedNote = `Remembered in ${rulesFile}; delete the entry there to be asked again.`;
  const approver = createTerminalApprover(terminal, () => ({ rememberedNote, askPatterns }));

  await using opened = await openToolbox(context, {
    rules: createRuleFile(rulesFile),
    ...(terminal.canAsk && { approver, host: createTerminalQuestions(terminal) }),
  });
  const { toolbox, servers, config } = opened;
  askPatterns = config.toolbox.approval.ask;
  const tool = findTool(name, toolbox.tools, servers);
  const args = parsed.for(tool, (message) => terminal.note(logLine(terminal, 'warning', message)));

  let isDenied = false;
  toolbox.on('approval.answered', ({ answer }) => {
    isDenied = answer.kind === 'deny';
  });
  terminal.status(`${oneLine(tool.name)} …`);
  const started = toolbox.start(tool.name, args, {
    signal: AbortSignal.any([context.signal, timeout.start(tool.name)]),
    caller: { id: 'cli', kind: 'person' },
    host: { onProgress: (progress) => terminal.status(progressText(tool, progress)) },
  });
  timeout.pauseWhileAsking(started);
  const result = await started.result;
  terminal.status();
  return printResult(result, tool, terminal, { json: options.json ?? false, isDenied });
}

function progressText(tool: Tool, { progress, total, message }: Progress): string {
  const share = total ? `${Math.floor((100 * progress) / total)} %` : String(progress);
  return `${oneLine(tool.name)} ${share}${message ? ` ${oneLine(message)}` : ''} …`;
}

function readStdin({ terminal, signal }: CommandContext): Promise<string> {
  if (process.stdin.isTTY) {
    terminal.note(terminal.noteColors.dim('Type the arguments as a JSON object, then press Ctrl-D:'));
  }
  return readText(addAbortSignal(signal, process.stdin));
}
