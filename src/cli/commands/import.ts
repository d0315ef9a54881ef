import { rename, rm, writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import { type ClientName, importClientConfig } from '../../config/import-client-config.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { CommandContext } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { count } from '../terminal/layout.ts';
import { logLine } from '../terminal/terminal-log.ts';
import { UsageError } from '../usage-error.ts';

export interface ImportOptions {
  /** A file's name, or true for `toolwharf.yaml`. */
  readonly write?: string | boolean;
  readonly force?: boolean;
}

/** `toolwharf import`: another MCP client's servers as a file of ours. */
export async function importFile(file: string, options: ImportOptions, context: CommandContext): Promise<number> {
  const { terminal, env } = context;
  const { nativeConfig, servers, warnings, client } = await importClientConfig(file, { env });
  for (const warning of warnings) terminal.note(logLine(terminal, 'warning', warning));
  const text = stringify(nativeConfig, { lineWidth: 0 });
  const from = clientTitles[client];
  const found = `${count(servers.length, 'server')}${from ? ` from ${from}` : ''}`;
  if (!options.write) terminal.print(text.trimEnd());
  else {
    const target = options.write === true ? 'toolwharf.yaml' : options.write;
    await write(target, text, options.force ?? false);
    terminal.note(`${found} written to ${target}; \`toolwharf check\` tries them`);
  }
  return servers.length === 0 ? exitCodes.problem : exitCodes.ok;
}

const clientTitles: Readonly<Record<ClientName, string | undefined>> = {
  'claude-desktop': 'Claude Desktop',
  'claude-code': 'Claude Code',
  cursor: 'Cursor',
  windsurf: 'Windsurf',
  vscode: 'VS Code',
  unknown: undefined,
};

/** Only for its owner to read: other clients keep tokens in these files. */
async function write(file: string, text: string, force: boolean): Promise<void> {
  try {
    if (!force) return await writeFile(file, text, { flag: 'wx', mode: 0o600 });
    const draft = `${file}.${process.pid}`;
    await writeFile(draft, text, { flag: 'wx', mode: 0o600 });
    await rename(draft, file).catch(async (cause) => {
      await rm(draft, { force: true });
      throw cause;
    });
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') {
      throw new UsageError(`'${file}' exists already; --force replaces it`);
    }
    throw new UsageError(`'${file}' can't be written: ${messageOf(cause)}`);
  }
}
