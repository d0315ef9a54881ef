import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ConnectionError, messageOf } from '../../contract/errors.ts';
import type { ServerSpec } from '../../contract/settings/config.ts';
import { splitCommandLine } from '../config/products/command-line.ts';
import {
  type Environment,
  findSecretReferences,
  isProgramScheme,
  type SecretReferenceText,
  type SecretValues,
} from '../config/references.ts';
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

/** Resolves `${command:…}` and `${keychain:…}` in the settings of servers, beside the references of plugins. */
export function createSecretCommands(options: SecretCommandsOptions): (plugins: SessionPlugins) => SessionPlugins {
  const { env, settings, now = () => performance.now() } = options;
  const runs = new Map<string, Run>();

  /** Servers that start at the same time share a run. */
  function read({ argv }: Printer): Promise<string> {
    const { timeoutMs, cacheMs } = settings();
    const line = JSON.stringify(argv);
    const known = runs.get(line);
    if (known && (known.endedAt === undefined || now() - known.endedAt < cacheMs)) return known.value;
    const run: Run = { value: runCommand(argv, env, timeoutMs) };
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

  async function readOf({ name }: ServerSpec, reference: SecretReferenceText): Promise<readonly [string, string]> {
    const { text } = reference;
    const printer = reference.scheme === 'command' ? commandPrinter(reference.path) : keychainPrinter(reference.path);
    try {
      if ('problem' in printer) throw new Error(printer.problem);
      return [text, await read(printer)];
    } catch (cause) {
      const message = `Server '${name}' needs ${text}, but ${printer.name} ${messageOf(cause)}. ${printer.remedy}`;
      throw new ConnectionError('SERVER_UNREACHABLE', message, { cause, data: { server: name, reached: false } });
    }
  }

  return (plugins) => ({
    openTransport: plugins.openTransport,
    wrapProgram: plugins.wrapProgram,
    resolveSecrets(spec, signal) {
      const commands = findSecretReferences(spec.target).filter(({ scheme }) => isProgramScheme(scheme));
      const ofPlugins = plugins.resolveSecrets(spec, signal);
      if (commands.length === 0) return ofPlugins;
      const reading = Promise.all(commands.map((reference) => readOf(spec, reference)));
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

/** A program that prints a secret. */
interface Printer {
  /** The subject of a sentence about its failure. */
  readonly name: string;
  readonly remedy: string;
  readonly argv: readonly [command: string, ...args: string[]];
}

type NoPrinter = Omit<Printer, 'argv'> & { readonly problem: string };

function commandPrinter(line: string): Printer | NoPrinter {
  const remedy = 'Run it as the user of Toolwharf to see why, and correct the command or the reference';
  const [command, ...args] = splitCommandLine(line) ?? [];
  if (command !== undefined) return { name: 'the command', remedy, argv: [command, ...args] };
  return { name: 'the command', remedy, problem: 'cannot be read: it is empty, or a quote is not closed' };
}

/** The program that reads the keychain of macOS, or the secret service of a desktop. */
function keychainPrinter(path: string, platform = process.platform): Printer | NoPrinter {
  const name = 'the keychain';
  const [, service, account] = /^([^/]+)\/(.+)$/.exec(path) ?? [];
  if (service === undefined || account === undefined)
    return { name, problem: 'cannot be asked', remedy: 'Write ${keychain:SERVICE/ACCOUNT}' };
  if (platform === 'darwin')
    return {
      name: 'security, which reads the keychain,',
      remedy: `Store the value with: security add-generic-password -s '${service}' -a '${account}' -w`,
      argv: ['security', 'find-generic-password', '-w', '-s', service, '-a', account],
    };
  if (platform === 'win32')
    return {
      name,
      problem: 'of Windows has no program that prints an entry',
      remedy: 'Use ${command:…} with a password manager, or a plugin that resolves references',
    };
  return {
    name: 'secret-tool, which reads the keychain,',
    remedy: `Install it (Debian: libsecret-tools), unlock the keychain, and store the value with: secret-tool store --label '${service}' service '${service}' username '${account}'`,
    argv: ['secret-tool', 'lookup', 'service', service, 'username', account],
  };
}

/** What a command prints, without the last line break. It has no shell, no input, and none of Toolwharf's own variables. */
async function runCommand([command, ...args]: Printer['argv'], env: Environment, timeoutMs: number): Promise<string> {
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
