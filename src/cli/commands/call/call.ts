import { addAbortSignal } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import type { Progress, Tool } from '../../../kernel/tool.ts';
import { createCallTimeout } from '../../backend/call-timeout.ts';
import { isUrl, openServerAt } from '../../backend/open-server-at.ts';
import { openTools } from '../../backend/open-tools.ts';
import type { CommandContext, JsonOption } from '../../command-context.ts';
import { UsageError } from '../../errors.ts';
import { oneLine } from '../../terminal/format.ts';
import { logLine } from '../../terminal/terminal-log.ts';
import { type HeaderOption, parseHeaders } from '../servers/server-input.ts';
import { findTool } from './find-tool.ts';
import { printResult } from './print-result.ts';
import { type ArgumentOptions, readArguments } from './read-arguments.ts';

export interface CallOptions extends ArgumentOptions, JsonOption, HeaderOption {
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
  const [first, ...others] = pairs;
  if (isUrl(name) && first === undefined) throw new UsageError('Name the tool after the URL of its server');
  const parsed = await readArguments({ args: json, arg: [...arg, ...(isUrl(name) ? others : pairs)] }, () =>
    readStdin(context),
  );
  await using opened = isUrl(name)
    ? await openServerAt(name, parseHeaders(options.header, context.env), context, { forCalls: true })
    : await openTools(context, { forCalls: true });
  const wanted = 'name' in opened ? `${opened.name}/${first}` : name;
  const tool = findTool(wanted, opened.tools, opened.servers);
  const args = parsed.for(tool, (message) => terminal.note(logLine(terminal, 'warning', message)));
  terminal.status(`${oneLine(tool.name)} …`);
  const onProgress = (progress: Progress) => terminal.status(progressText(tool, progress));
  const { result, isDeniedHere } = await opened.call(tool, args, { timeout, onProgress });
  terminal.status();
  return printResult(result, tool, terminal, { json: options.json ?? false, isDenied: isDeniedHere });
}

function progressText(tool: Pick<Tool, 'name'>, { progress, total, message }: Progress): string {
  const share = total ? `${Math.floor((100 * progress) / total)} %` : String(progress);
  return `${oneLine(tool.name)} ${share}${message ? ` ${oneLine(message)}` : ''} …`;
}

function readStdin({ terminal, signal }: CommandContext): Promise<string> {
  if (process.stdin.isTTY) {
    terminal.note(terminal.noteColors.dim('Type the arguments as a JSON object, then press Ctrl-D:'));
  }
  return readText(addAbortSignal(signal, process.stdin));
}
