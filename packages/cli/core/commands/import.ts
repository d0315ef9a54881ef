import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { stringify } from 'yaml';
import { messageOf } from '../../../contract/errors.ts';
import {
  type ClientName,
  type ImportedConfig,
  importCommandLine,
} from '../../../toolwharf/config/import-client-config.ts';
import { writeFileAtomically } from '../client/write-file.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { count, jsonText } from '../terminal/format.ts';
import { logLine } from '../terminal/terminal-log.ts';
import { discoverServers } from './discover.ts';
import { importFile } from './read-settings.ts';

export interface ImportOptions extends JsonOption {
  /** The file to write; true for `toolwharf.yaml`. */
  readonly write?: string | boolean;
  readonly force?: boolean;
  /** Import what the MCP clients of this user and project have configured. */
  readonly discover?: boolean;
}

/**
 * `toolwharf import`: converts the configuration file of another program, or a command line of several words, to a
 * native configuration.
 */
export async function importSettings(
  words: readonly string[],
  options: ImportOptions,
  context: CommandContext,
): Promise<number> {
  const { terminal, env, cwd } = context;
  const [file, ...more] = words;
  if ((file === undefined) !== (options.discover === true))
    throw new UsageError('Name a settings file, or use --discover to read those of all clients');
  const imported: Pick<ImportedConfig, 'nativeConfig'> & Partial<ImportedConfig> =
    file === undefined
      ? await discoverServers(context)
      : more.length > 0
        ? await importCommandLine(words, { env })
        : await importFile(resolve(cwd, file), env);
  const { nativeConfig } = imported;
  const servers = Object.keys(nativeConfig.servers ?? {});
  for (const warning of imported.warnings ?? []) terminal.say(logLine(terminal, 'warning', warning));
  if (servers.length === 0 && options.discover) {
    terminal.say('No client has servers: connect one, or add servers with `toolwharf servers add`');
    return exitCodes.problem;
  }
  const text = stringify(nativeConfig, { lineWidth: 0 });
  if (!options.write) terminal.print(options.json ? jsonText(nativeConfig) : text.trimEnd());
  else {
    const target = options.write === true ? 'toolwharf.yaml' : options.write;
    await write(resolve(cwd, target), text, options.force ?? false);
    const title = imported.client && clientTitles[imported.client];
    const source = title === undefined ? '' : ` from ${title}`;
    terminal.note(
      `Wrote ${count(servers.length, 'server')}${source} to ${target}. Test them with \`toolwharf check\`.`,
    );
  }
  return servers.length === 0 ? exitCodes.problem : exitCodes.ok;
}

const clientTitles: Readonly<Record<ClientName, string | undefined>> = {
  'claude-desktop': 'Claude Desktop',
  'claude-code': 'Claude Code',
  cursor: 'Cursor',
  windsurf: 'Windsurf',
  vscode: 'VS Code',
  codex: 'Codex',
  'gemini-cli': 'Gemini CLI',
  zed: 'Zed',
  opencode: 'OpenCode',
  goose: 'Goose',
  cline: 'Cline',
  continue: 'Continue',
  jetbrains: 'JetBrains Junie',
  'lm-studio': 'LM Studio',
  squidbot: 'squidbot',
  myai: 'a myai application',
  bridge: 'a bridge configuration',
  'mcp-hub': 'mcp-hub',
  '1mcp': '1MCP',
  metamcp: 'MetaMCP',
  supergateway: 'supergateway',
  'mcp-proxy': 'mcp-proxy',
  unknown: undefined,
};

/** Only the owner can read the file: other clients keep tokens in their settings. */
async function write(file: string, text: string, force: boolean): Promise<void> {
  try {
    if (force) await writeFileAtomically(file, text);
    else await writeFile(file, text, { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') {
      throw new UsageError(`'${file}' already exists; use --force to overwrite it`);
    }
    throw new UsageError(`Cannot write '${file}': ${messageOf(cause)}`);
  }
}
