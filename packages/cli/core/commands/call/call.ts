import { addAbortSignal } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import type { ToolView } from '../../../../contract/api/tools.ts';
import { ConnectionError, ToolwharfError } from '../../../../contract/errors.ts';
import { isObject } from '../../../../contract/json.ts';
import { exactParts } from '../../../../toolwharf/invocation/shape-result.ts';
import { closest } from '../../../../toolwharf/kernel/closest.ts';
import type { Progress, Tool, ToolResult } from '../../../../toolwharf/kernel/tool.ts';
import { toDisplayText } from '../../../../toolwharf/policy/display-text.ts';
import { createCallTimeout } from '../../client/call-tool.ts';
import { isUnavailable, type KnownServer, whyUnavailable } from '../../client/known-server.ts';
import { isUrl, openServerAt, openTools } from '../../client/open-tools.ts';
import type { CommandContext, JsonOption } from '../../command-context.ts';
import { exitCodeFor, exitCodes, reportFailure, UsageError } from '../../errors.ts';
import { jsonText, oneLine } from '../../terminal/format.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { logLine } from '../../terminal/terminal-log.ts';
import { type HeaderOption, parseHeaders } from '../servers/server-input.ts';
import { type ArgumentOptions, parametersOf, readArguments } from './read-arguments.ts';

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
    : await openTools(context, { forCalls: true, needs: (servers) => serversOf(name, servers) });
  const wanted = 'name' in opened ? `${opened.name}/${first}` : name;
  const tool = findTool(wanted, opened.tools, opened.servers);
  const args = parsed.for(tool, (message) => terminal.say(logLine(terminal, 'warning', message)));
  terminal.status(`${oneLine(tool.name)} …`);
  const onProgress = (progress: Progress) => terminal.status(progressText(tool, progress));
  const { result, isDeniedHere } = await opened.call(tool, args, { timeout, onProgress });
  terminal.status();
  return printResult(result, tool, terminal, { json: options.json ?? false, isDenied: isDeniedHere });
}

function progressText(tool: Pick<Tool, 'name'>, { progress, total, message }: Progress): string {
  const amount = Math.round(progress * 1_000) / 1_000;
  const share = total ? `${Math.floor((100 * progress) / total)} %` : String(amount);
  // Messages of the gateway count nothing.
  const shown = amount === 0 && !total && message ? [] : [share];
  return [oneLine(tool.name), ...shown, ...(message ? [oneLine(message)] : []), '…'].join(' ');
}

function readStdin({ stdin, terminal, signal }: CommandContext): Promise<string> {
  if (stdin.isTTY) {
    terminal.note(terminal.noteColors.dim('Type the arguments as a JSON object, then press Ctrl-D:'));
  }
  return readText(addAbortSignal(signal, stdin));
}

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

function printText(result: ToolResult, terminal: Terminal): void {
  const { text } = result;
  const { structuredContent } = exactParts(result);
  const shown = text === '' && structuredContent !== undefined ? JSON.stringify(structuredContent, null, 2) : text;
  if (shown !== '') terminal.print(terminal.isPerson ? toDisplayText(shown, { maxLength: 1_000_000 }) : shown);
  else if (terminal.isPerson) terminal.note(terminal.noteColors.dim('(empty result)'));
}

function toJson(result: ToolResult) {
  const { isError, failure, callId } = result;
  const { content, structuredContent, _meta } = exactParts(result);
  return { isError, content, structuredContent, _meta, failure, callId };
}

function parametersText(tool: ToolView, { noteColors: colors }: Terminal): string {
  const { properties } = tool.parameters;
  const lines = parametersOf(tool).map(({ name, type, required, description, enum: values }) => {
    // Flat parameters have rounded numbers.
    const exact = isObject(properties) && isObject(properties[name]) ? properties[name].enum : undefined;
    const facts = [type, required && 'required', values && `one of ${JSON.stringify(exact ?? values)}`].filter(Boolean);
    const about = description ? `  ${colors.dim(oneLine(description))}` : '';
    return `    ${colors.cyan(oneLine(name))}  ${oneLine(facts.join(', '))}${about}`;
  });
  return lines.length > 0 ? `  Parameters:\n${lines.join('\n')}` : '  The tool takes no arguments.';
}

/**
 * Finds a tool by its name or by `server/tool`. Throws `SERVER_DISCONNECTED` for a tool of an unavailable server, else
 * `TOOL_NAME_INVALID` with a suggestion.
 */
function findTool(name: string, tools: readonly ToolView[], servers: readonly KnownServer[]): ToolView {
  const found = tools.find((tool) => tool.name === name) ?? tools.find((tool) => pathOf(tool) === name);
  if (found) return found;
  const unavailable = servers.find(
    (server) => isUnavailable(server) && prefixesOf(server.name).some((prefix) => name.startsWith(prefix)),
  );
  if (unavailable) {
    const message = `Not connected to MCP server: ${unavailable.name} (${whyUnavailable(unavailable.status)})`;
    throw new ConnectionError('SERVER_DISCONNECTED', message, { data: { server: unavailable.name } });
  }
  const reason = servers.some(isUnavailable) ? ', unless its server is unavailable' : '';
  const hint = suggestion(name, tools) ?? `\`toolwharf tools\` lists all tools${reason}`;
  throw new ToolwharfError('TOOL_NAME_INVALID', `Invalid MCP tool name: ${name}; ${hint}`, { data: { tool: name } });
}

/** The servers that the tool may belong to by its name; none if the name has no server in it. */
function serversOf(name: string, servers: readonly { readonly name: string }[]): string[] {
  const matching = servers.filter((server) => prefixesOf(server.name).some((prefix) => name.startsWith(prefix)));
  return matching.map((server) => server.name);
}

function suggestion(name: string, tools: readonly ToolView[]): string | undefined {
  const same = tools.filter((tool) => tool.originalName === name).map((tool) => tool.name);
  const near = closest(
    name,
    tools.flatMap((tool) => [tool.name, pathOf(tool), tool.originalName]),
  );
  const meant =
    near === undefined ? [] : tools.filter((tool) => [tool.name, pathOf(tool), tool.originalName].includes(near));
  const names = same.length > 0 ? same : meant.map((tool) => (near === pathOf(tool) ? near : tool.name));
  if (names.length === 0) return undefined;
  const quoted = names.slice(0, 5).map((candidate) => `'${candidate}'`);
  return `did you mean ${quoted.join(' or ')}?`;
}

function pathOf({ server, originalName }: ToolView): string {
  return server === undefined ? originalName : `${server}/${originalName}`;
}

function prefixesOf(server: string): string[] {
  return [`${server}/`, `mcp_${server}_`, `${server}__`];
}
