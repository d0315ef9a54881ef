import { existsSync } from 'node:fs';
import { win32 } from 'node:path';

/** A program as `spawn` starts it on Windows. */
export interface WindowsCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** The arguments are quoted already. */
  readonly windowsVerbatimArguments?: true;
}

export interface WindowsCommandOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly exists?: (file: string) => boolean;
}

/**
 * Converts a command for Windows, where npx and similar commands are batch files, which only `cmd.exe` can run. Each argument is
 * quoted, so that none is read as another command. Other programs are started without a shell.
 */
export function toWindowsCommand(
  command: string,
  args: readonly string[],
  options: WindowsCommandOptions,
): WindowsCommand {
  const file = findOnPath(command, options);
  if (file === undefined || !/\.(cmd|bat)$/i.test(file)) return { file: file ?? command, args };
  for (const argument of args) {
    // cmd.exe would end the command there, whatever the quotes.
    if (/[\r\n\0]/.test(argument))
      throw new Error(`An argument of ${command} has a line break, which a batch file cannot get`);
  }
  // A launcher of npm passes its arguments to another command line, which is parsed once more.
  const isLauncher = /node_modules[\\/].bin[\\/][^\\/]+\.cmd$/i.test(file);
  const line = [escapeForShell(file), ...args.map((argument) => quote(argument, isLauncher))].join(' ');
  const shell = variable('ComSpec', options.env) ?? 'cmd.exe';
  return { file: shell, args: ['/d', '/s', '/c', `"${line}"`], windowsVerbatimArguments: true };
}

/** The file of a command: with an extension of PATHEXT if it has none, on PATH unless it is a path. */
function findOnPath(
  command: string,
  { env, cwd = '.', exists = existsSync }: WindowsCommandOptions,
): string | undefined {
  const isPath = win32.isAbsolute(command) || /[\\/]/.test(command);
  const directories = isPath ? [cwd] : (variable('Path', env) ?? '').split(win32.delimiter).filter(Boolean);
  const extensions = (variable('PATHEXT', env) ?? '.COM;.EXE;.BAT;.CMD').split(';').filter(Boolean);
  // Like cmd.exe: a file without an extension is not a program.
  const endings = win32.extname(command) === '' ? extensions : ['', ...extensions];
  for (const directory of directories) {
    for (const ending of endings) {
      const file = win32.resolve(directory, `${command}${ending}`);
      if (exists(file)) return file;
    }
  }
  return undefined;
}

/** Names of variables are case-insensitive on Windows. */
function variable(name: string, env: WindowsCommandOptions['env']): string | undefined {
  const found = Object.keys(env).find((key) => key.toLowerCase() === name.toLowerCase());
  return found === undefined ? undefined : env[found];
}

const special = /([()\][%!^"`<>&|;, *?])/g;

const escapeForShell = (text: string) => text.replace(special, '^$1');

/** Quotes an argument for the program's own parser, then for cmd.exe. */
function quote(argument: string, isParsedTwice: boolean): string {
  const quoted = `"${argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')}"`;
  return isParsedTwice ? escapeForShell(escapeForShell(quoted)) : escapeForShell(quoted);
}
