import { isHealthy } from '../../../../contract/connections.ts';
import type { Gateway } from '../../../../gateway/core/gateway.ts';
import { createLog, type Log, type LogFields, type LogLevel } from '../../../../toolwharf/kernel/log.ts';
import { version } from '../../../../toolwharf/kernel/version.ts';
import type { ServerInfo } from '../../../../toolwharf/servers/server-info.ts';
import { toReachableUrl } from '../../client/gateway-file.ts';
import { whyUnavailable } from '../../client/known-server.ts';
import type { CommandContext } from '../../command-context.ts';
import { count, jsonText, oneLine } from '../../terminal/format.ts';
import { isAtLeast, logLine } from '../../terminal/terminal-log.ts';

export type LogFormat = 'text' | 'json';

/** Writes the gateway's reports to stderr: text for people, or one JSON object per line. */
export interface GatewayReporter {
  readonly log: Log;
  info(event: string, message: string, fields?: LogFields): void;
  error(event: string, message: string, fields?: LogFields): void;
  /** Reports the addresses of the gateway, then each change of a server's state. */
  reportStart(gateway: Pick<Gateway, 'url' | 'toolbox'>, details: StartDetails): void;
}

export interface StartDetails {
  readonly dataDir: string;
  readonly file?: string;
  readonly adminToken: string;
  /** Whether stderr is a terminal: only there is the sign-in link printed. */
  readonly isTerminal: boolean;
}

/** Creates the reporter of `toolwharf serve`. */
export function createGatewayReporter(
  { terminal, options, command }: CommandContext,
  format: LogFormat,
): GatewayReporter {
  const { noteColors: colors } = terminal;

  /** Writes the entry as JSON, or the given text. */
  function write(level: LogLevel, event: string, message: string, fields: LogFields = {}, text = message): void {
    const entry = { time: new Date().toISOString(), level, event, message, ...fields };
    if (format === 'json') terminal.note(jsonText(entry, { indent: 0 }));
    // The lines of the start contain URLs and a command, which must not be broken.
    else if (event === 'gateway.started') terminal.note(text);
    else terminal.say(text);
  }

  const log = createLog(({ level, event, message, fields }) => {
    if (reportedAsState.has(event) || !isAtLeast(level, options.logLevel)) return;
    write(level, event, message, fields, logLine(terminal, level, message));
  });

  function describeStart(
    url: string,
    localUrl: string,
    { dataDir, file, adminToken, isTerminal }: StartDetails,
  ): string {
    const field = (name: string, text: string) => `  ${colors.dim(name.padEnd(14))}${text}`;
    const lines = [
      `${colors.green('●')} ${colors.bold(`Toolwharf ${version}`)} is running at ${colors.cyan(url)}`,
      field('MCP endpoint', `${url}/mcp`),
      field('A2A endpoint', `${url}/a2a`),
      field('REST API', `${url}/api  (OpenAPI: /api/openapi.json)`),
      field('data', dataDir),
    ];
    if (file !== undefined) lines.push(field('configuration', `${file} (watched for changes)`));
    // A log file would keep the administrator token readable.
    if (isTerminal) lines.push(field('sign in', `${toReachableUrl(localUrl)}/#token=${adminToken}`));
    lines.push(field('connect', `${command} connect claude-code`));
    lines.push(field('', colors.dim('or claude-desktop, cursor, vscode, windsurf')));
    return lines.join('\n');
  }

  return {
    log,
    info: (event, message, fields) => write('info', event, message, fields),
    error: (event, message, fields) => write('error', event, message, fields, logLine(terminal, 'error', message)),
    reportStart({ url: localUrl, toolbox }, details) {
      const url = toolbox.config.gateway.tls ? localUrl.replace(/^http:/, 'https:') : localUrl;
      const { dataDir, file } = details;
      const fields = { url, mcp: `${url}/mcp`, dataDir, file };
      const message = `Toolwharf ${version} is running at ${url}`;
      write('info', 'gateway.started', message, fields, describeStart(url, localUrl, details));
      const reported = new Map<string, string>();
      const reportState = (info: ServerInfo) => {
        const { state, reason } = info.status;
        const text = describeState(info);
        if (text === undefined || reported.get(info.name) === text) return;
        reported.set(info.name, text);
        const fields = { server: info.name, state, reason };
        if (isHealthy(state)) write('info', 'server.state', text, fields, `${colors.green('✔')} ${text}`);
        else write('warning', 'server.state', text, fields, logLine(terminal, 'warning', text));
      };
      for (const info of toolbox.servers.list()) reportState(info);
      toolbox.on('server.changed', ({ server }) => {
        const info = toolbox.servers.get(server);
        if (info) reportState(info);
      });
    },
  };
}

const reportedAsState = new Set(['server.skipped', 'connection.list-failed']);

/** A server's state in one line; undefined while it is still connecting. */
function describeState({ name, enabled, status, offers }: ServerInfo): string | undefined {
  if (!enabled || status.state === 'connecting' || status.state === 'disconnected') return undefined;
  const tools = offers.tools ? `, ${count(offers.tools.count, 'tool')}` : '';
  return `${oneLine(name)}  ${status.state}${isHealthy(status.state) ? tools : `: ${whyUnavailable(status)}`}`;
}
