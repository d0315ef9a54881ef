import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ConnectionError, messageOf } from '../../contract/errors.ts';
import type { ServerSpec } from '../../contract/settings/config.ts';
import { splitCommandLine } from '../config/products/command-line.ts';
import { type Environment, findSecretReferences, type SecretValues } from '../config/references.ts';
import { abortable } from '../kernel/wait.ts';
import type { SessionPlugins } from './session.ts';

export interface SecretCommandsOptions {
  readonly env: Environment;
  readonly settings: () => { readonly timeoutMs: number; readonly cacheMs: number };
  /** Milliseconds of a clock that is never set. */
  readonly now?: () => number;
}

interface Run {
  readonly value: Promise<string>;
  /** Undefined while the command runs. */
  endedAt?: number;
}

const maxBytes = 64 * 1024;

/** Resolves `${command:…}` in the settings of servers, beside the references of plugins. */
export function createSecretCommands(options: SecretCommandsOptions): (plugins: SessionPlugins) => SessionPlugins {
  const { env, settings, now = () => performance.now() } = options;
  const runs = new Map<string, Run>();

  /** Servers that start at the same time share a run. */
  function read(line: string): Promise<string> {
    const { timeoutMs, cacheMs } = settings();
    const known = runs.get(line);
    if (known && (known.endedAt === undefined || now() - known.endedAt < cacheMs)) return known.value;
    const run: Run = { value: runCommand(line, env, timeoutMs) };
    runs.set(line, run);
    const forget = () => {
      if (runs.get(line) === run) runs.delete(line);
    };
    run.value.then(() => {
      run.endedAt = now();
      if (cacheMs === 0) forget();
    }, forget);
    return run.value;
  }

  async function readOf({ name }: ServerSpec, text: string, line: string): Promise<readonly [string, string]> {
    try {
      return [text, await read(line)];
    } catch (cause) {
      const message = `Server '${name}' needs ${text}, but the command ${messageOf(cause)}. Run it as the user of Toolwharf to see why, and correct the command or the reference`;
      throw new ConnectionError('SERVER_UNREACHABLE', message, { cause, data: { server: name, reached: false } });
    }
  }

  return (plugins) => ({
    openTransport: plugins.openTransport,
    wrapProgram: plugins.wrapProgram,
    resolveSecrets(spec, signal) {
      const commands = findSecretReferences(spec.target).filter(({ scheme }) => scheme === 'command');
      const ofPlugins = plugins.resolveSecrets(spec, signal);
      if (commands.length === 0) return ofPlugins;
      const reading = Promise.all(commands.map(({ text, path }) => readOf(spec, text, path)));
      return mergeValues(abortable(reading, signal), ofPlugins);
    },
  });
}

async function mergeValues(
  commands: Promise<readonly (readonly [string, string])[]>,
  ofPlugins: Promise<SecretValues> | undefined,
): Promise<SecretValues> {
  const [values, others] = await Promise.all([commands, ofPlugins]);
  return new Map([...(others ?? []), ...values]);
}

/** What a command prints, without the last line break. It has no shell, no input, and none of Toolwharf's own variables. */
async function runCommand(line: string, env: Environment, timeoutMs: number): Promise<string> {
  const [command, ...args] = splitCommandLine(line) ?? [];
  if (command === undefined) throw new Error('cannot be read: it is empty, or a quote is not closed');
  const variables = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('TOOLWHARF_')));
  const child = spawn(command, args, { env: variables, stdio: ['ignore', 'pipe', 'ignore'], windowsHide: true });
  let output = '';
  let failure: string | undefined;
  const stop = (reason: string) => {
    failure ??= reason;
    child.kill('SIGKILL');
    // A process that it started may still have the pipe.
    child.stdout.destroy();
  };
  const timer = setTimeout(stop, timeoutMs, `did not end within ${timeoutMs} ms (toolbox.secretCommands.timeout)`);
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.length > maxBytes) stop(`printed more than ${maxBytes} characters`);
  });
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (code !== 0) failure ??= code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
  } catch (cause) {
    failure ??= `could not be started (${(cause as NodeJS.ErrnoException).code ?? messageOf(cause)})`;
  } finally {
    clearTimeout(timer);
  }
  const value = output.replace(/\r?\n$/, '');
  if (failure === undefined && value === '') failure = 'printed nothing';
  if (failure !== undefined) throw new Error(failure);
  return value;
}
