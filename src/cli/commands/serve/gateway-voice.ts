import type { Gateway } from '../../../gateway/gateway.ts';
import { createLog, type Log, type LogFields } from '../../../kernel/log.ts';
import { version } from '../../../kernel/version.ts';
import type { ServerInfo } from '../../../servers/server-info.ts';
import { whyUnavailable } from '../../backend/open-toolbox.ts';
import type { CommandContext } from '../../command.ts';
import { jsonText } from '../../terminal/json-text.ts';
import { count, oneLine } from '../../terminal/layout.ts';
import { isAtLeast, logLine } from '../../terminal/terminal-log.ts';

export type LogFormat = 'text' | 'json';

/** What the gateway says on stderr: to a person in words, to a program in JSON, one object a line. */
export interface GatewayVoice {
  readonly log: Log;
  say(event: string, message: string, fields?: LogFields): void;
  /** The same, of something that went wrong. */
  fail(event: string, message: string, fields?: LogFields): void;
  /** Where everything is and how to connect, then each server's state as it changes. */
  introduce(gateway: Pick<Gateway, 'url' | 'toolbox'>, about: Introduction): void;
}

export interface Introduction {
  readonly dataDir: string;
  readonly file?: string;
  readonly adminToken: string;
  /** Whether stderr is a terminal: only there the person gets a link that signs them in. */
  readonly isTerminal: boolean;
}

export function createGatewayVoice({ terminal, options }: CommandContext, format: LogFormat): GatewayVoice {
  const { noteColors: colors } = terminal;
  const toJson = (level: string, event: string, message: string, fields: LogFields = {}) =>
    jsonText({ time: new Date().toISOString(), level, event, message, ...fields }, { indent: 0 });

  function say(event: string, message: string, fields?: LogFields): void {
    terminal.note(format === 'json' ? toJson('info', event, message, fields) : message);
  }

  function fail(event: string, message: string, fields?: LogFields): void {
    terminal.note(format === 'json' ? toJson('error', event, message, fields) : logLine(terminal, 'error', message));
  }

  const log = createLog(({ level, event, message, fields }) => {
    // Their state says the same, in fewer words.
    if (told.has(event) || !isAtLeast(level, options.logLevel)) return;
    terminal.note(format === 'json' ? toJson(level, event, message, fields) : logLine(terminal, level, message));
  });

  const introduce: GatewayVoice['introduce'] = ({ url, toolbox }, { dataDir, file, adminToken, isTerminal }) => {
    if (format === 'json') {
      say('gateway.started', `Toolwharf ${version} is running at ${url}`, { url, mcp: `${url}/mcp`, dataDir, file });
    } else {
      const field = (name: string, text: string) => `  ${colors.dim(name.padEnd(14))}${text}`;
      const lines = [
        `${colors.green('●')} ${colors.bold(`Toolwharf ${version}`)} is running at ${colors.cyan(url)}`,
        field('MCP endpoint', `${url}/mcp`),
        field('A2A endpoint', `${url}/a2a`),
        field('REST API', `${url}/api  (described in /api/openapi.json)`),
        field('data', dataDir),
        ...(file === undefined ? [] : [field('configuration', `${file}, watched for changes`)]),
        // A log would keep it for whoever reads it later.
        ...(isTerminal ? [field('sign in', `${reachable(url)}/#token=${adminToken}`)] : []),
        field('connect', 'toolwharf connect claude-code  (or claude-desktop, cursor, vscode, windsurf)'),
      ];
      terminal.note(lines.join('\n'));
    }
    const last = new Map<string, string>();
    const tell = (info: ServerInfo) => {
      const said = describe(info);
      if (said === undefined || last.get(info.name) === said.text) return;
      last.set(info.name, said.text);
      const { state } = info.status;
      if (format === 'json') say('server.state', said.text, { server: info.name, state, reason: info.status.reason });
      else terminal.note(`${said.ok ? colors.green('✔') : colors.red('✖')} ${said.text}`);
    };
    for (const info of toolbox.servers()) tell(info);
    toolbox.on('server.changed', ({ server }) => {
      const info = toolbox.server(server);
      if (info) tell(info);
    });
  };

  return { log, say, fail, introduce };
}

const told = new Set(['server.skipped', 'connection.list-failed']);

/** All addresses at once are none that a browser can open. */
function reachable(url: string): string {
  return url.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:|$)/, '//127.0.0.1');
}

/** Nothing while it is only on its way. */
function describe({ name, enabled, status, offers }: ServerInfo): { ok: boolean; text: string } | undefined {
  if (!enabled || status.state === 'connecting' || status.state === 'disconnected') return undefined;
  const tools = offers.tools ? `, offers ${count(offers.tools.count, 'tool')}` : '';
  const ok = status.state === 'connected';
  return { ok, text: `${oneLine(name)}  ${status.state}${ok ? tools : `: ${whyUnavailable(status)}`}` };
}
