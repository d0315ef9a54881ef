import { access, constants, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { messageOf } from '../../../../contract/errors.ts';
import type { Config, ServerSpec } from '../../../../contract/settings/config.ts';
import type { UnsetProblem } from '../../../../toolwharf/config/loaded-config.ts';
import { type Problem, problemLine } from '../../../../toolwharf/config/problems.ts';
import { type Environment, parseReference, resolveReference } from '../../../../toolwharf/config/references.ts';
import { describeTools, isUnavailable, type KnownServer, whyUnavailable } from '../../client/known-server.ts';
import type { CommandContext } from '../../command-context.ts';
import { oneLine } from '../../terminal/format.ts';
import { type Finding, failed, passed } from './check-system.ts';

/** Checks that the command of every enabled server is installed. */
export async function checkCommands(
  { servers }: Pick<Config, 'servers'>,
  { env, cwd: working }: Pick<CommandContext, 'env' | 'cwd'>,
): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const { name, enabled, target } of servers) {
    if (!enabled || target.transport !== 'stdio') continue;
    const cwd = target.cwd ?? working;
    const program = await findProgram(target.command, { env: { ...env, ...target.env }, cwd });
    const subject = `command of ${oneLine(name)}`;
    if (program !== undefined) found.push(passed(subject, program));
    else found.push(failed(subject, `'${oneLine(target.command)}' was not found`, 'install it, or correct `command`'));
  }
  return found;
}

/** Checks that every variable and file that a secret refers to exists. Values are never shown. */
export function checkReferences(
  { servers, gateway }: Pick<Config, 'servers' | 'gateway'>,
  env: Environment,
  unset: readonly UnsetProblem[] = [],
): Finding[] {
  const check = (owner: string, texts: readonly string[], server?: string) => {
    const problems = unset.filter((one) => one.server === server).map(({ problem }) => problem);
    return checkTexts(owner, texts, env, problems);
  };
  return [
    ...servers.filter(({ enabled }) => enabled).flatMap((spec) => check(spec.name, textsOf(spec), spec.name)),
    ...check('the gateway', textsIn(gateway)),
  ];
}

/** Checks that every enabled server is connected; `gateway` if it is the running gateway that connects to them. */
export function checkConnections(servers: readonly KnownServer[], gateway?: string): Finding[] {
  return servers
    .filter(({ enabled }) => enabled)
    .map((info) => {
      const subject = `server ${oneLine(info.name)}`;
      if (isUnavailable(info)) return failed(subject, whyUnavailable(info.status), fixFor(info, gateway));
      return passed(subject, [info.status.state, describeTools(info)].filter(Boolean).join(', '));
    });
}

/** The remedy for a server that is unavailable. */
function fixFor({ name, transport, status: { cause, code } }: KnownServer, gateway: string | undefined): string {
  const server = oneLine(name);
  if (code === 'ACCOUNT_REQUIRED') return `connect an account with \`toolwharf accounts connect ${server}\``;
  if (cause === 'unauthorized')
    return `add its credentials in the app, with \`toolwharf servers edit ${server}\`, or in the configuration file`;
  if (cause === 'command-not-found') return 'install the command, or correct `command`';
  if (gateway === undefined) return 'run `toolwharf check`: it connects to every server again and reports all problems';
  if (transport === 'stdio') return `read its output with \`toolwharf logs ${server}\``;
  return `see the messages with \`toolwharf inspect ${server}\` while \`toolwharf servers restart ${server}\` runs`;
}

function checkTexts(
  owner: string,
  texts: readonly string[],
  env: Environment,
  problems: readonly Problem[],
): Finding[] {
  return texts.flatMap((text) => {
    const reference = parseReference(text);
    if (!reference || (reference.kind === 'variable' && reference.fallback !== undefined)) return [];
    const subject = `${reference.kind === 'variable' ? reference.name : reference.path} for ${oneLine(owner)}`;
    if (reference.kind === 'variable') {
      if (env[reference.name]) return [passed(subject, 'set')];
      const where = problems.find(({ message }) => message.includes(`'${reference.name}'`));
      return [
        failed(subject, where ? problemLine(where) : 'not set', `set the environment variable ${reference.name}`),
      ];
    }
    try {
      resolveReference(text, env);
      return [passed(subject, 'readable')];
    } catch (cause) {
      const where = problems.find(({ message }) => message.includes(`'${reference.path}'`));
      return [failed(subject, where ? problemLine(where) : messageOf(cause))];
    }
  });
}

function textsOf({ target }: ServerSpec): string[] {
  if (target.transport === 'stdio') return Object.values(target.env);
  if (target.transport === 'plugin') return textsIn(target.options);
  const { type: _, ...authentication } = target.authentication;
  return [...Object.values(target.headers), ...Object.values<string>(authentication)];
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

export interface FindProgramOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Default: `process.platform`. */
  readonly platform?: NodeJS.Platform;
}

/** The executable file of a command, searched on PATH unless it is a path; undefined if there is none. */
export async function findProgram(command: string, options: FindProgramOptions): Promise<string | undefined> {
  const { env, cwd, platform = process.platform } = options;
  const isPath = isAbsolute(command) || /[/\\]/.test(command);
  const directories = isPath ? [''] : (env.PATH ?? env.Path ?? '').split(delimiter).filter(Boolean);
  const endings = platform === 'win32' ? ['', ...(env.PATHEXT ?? '.EXE;.CMD;.BAT').split(';')] : [''];
  for (const directory of directories) {
    for (const ending of endings) {
      const file = resolve(cwd, join(directory, `${command}${ending}`));
      if (await isProgram(file)) return file;
    }
  }
  return undefined;
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
