import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { stringify } from 'yaml';
import { messageOf } from '../../../contract/errors.ts';
import {
  type ClientName,
  importClientConfig,
  importCommandLine,
} from '../../../toolwharf/config/import-client-config.ts';
import { writeFileAtomically } from '../client/write-file.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { count, jsonText } from '../terminal/format.ts';
import { logLine } from '../terminal/terminal-log.ts';

export interface ImportOptions extends JsonOption {
  /** The file to write; true for `toolwharf.yaml`. */
  readonly write?: string | boolean;
  readonly force?: boolean;
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
  const [file = '', ...more] = words;
  const { nativeConfig, servers, warnings, client } =
    more.length > 0 ? await importCommandLine(words, { env }) : await importClientConfig(resolve(cwd, file), { env });
  for (const warning of warnings) terminal.say(logLine(terminal, 'warning', warning));
  const text = stringify(nativeConfig, { lineWidth: 0 });
  if (!options.write) terminal.print(options.json ? jsonText(nativeConfig) : text.trimEnd());
  else {
    const target = options.write === true ? 'toolwharf.yaml' : options.write;
    await write(resolve(cwd, target), text, options.force ?? false);
    const source = clientTitles[client] ? ` from ${clientTitles[client]}` : '';
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
