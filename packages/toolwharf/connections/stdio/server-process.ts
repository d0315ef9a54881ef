import { isSecretName } from '../../../contract/secret-names.ts';
import type { Config, ServerSpec, StdioTarget } from '../../../contract/settings/config.ts';
import { runsOnce } from '../../../contract/settings/defaults.ts';
import { findSecretReferences, resolveReference, type SecretValues } from '../../config/references.ts';
import type { Log } from '../../kernel/log.ts';
import type { Redactor } from '../../kernel/redact.ts';
import { createMissingReporter } from '../report-missing.ts';
import { createStderrTail, type StderrTail } from '../stderr-tail.ts';
import { launchAhead, type Program } from './launch-program.ts';
import { findPackage } from './package-runner.ts';
import { createStdioTransport, type StdioTransport } from './stdio-transport.ts';

export interface ServerProcessOptions {
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stderr: StderrTail;
  /** Receives the server's secrets. */
  readonly redactor: Redactor;
  readonly maxMessageBytes: number;
  /** See `Program.expiresInMs`. */
  readonly expiresInMs?: () => number;
  /** The values of references that plugins have resolved. */
  readonly secrets?: SecretValues;
  readonly plugins?: { readonly wrapProgram: WrapProgram };
}

/** A server's program as plugins see it and may wrap it: with all references resolved. */
export interface LaunchedProgram extends Pick<Program, 'command' | 'args' | 'env' | 'cwd' | 'inheritEnv'> {}

/** Wraps the program of a server before it is started. Rejects if it must not be started. */
export type WrapProgram = (program: LaunchedProgram, server: ServerSpec) => Program | Promise<Program>;

/** Creates the process of a configured server, with all references resolved. */
export function createServerProcess(spec: ServerSpec, options: ServerProcessOptions): StdioTransport {
  const { log, redactor, maxMessageBytes, plugins } = options;
  const output = createStderrTail({ redact: redactor.text });
  const target = spec.target as StdioTarget;
  const program = toProgram(target, options, createMissingReporter(spec, log));
  for (const [name, value] of Object.entries(program.env)) {
    if (value !== target.env[name] || isSecretName(name)) redactor.add(value);
  }
  const transport = createStdioTransport({
    ...program,
    expiresInMs: options.expiresInMs,
    wrap: plugins && (async () => plugins.wrapProgram(program, spec)),
    // Its own output explains its failure; the output of all processes is shown to people.
    stderr: {
      lines: output.lines,
      push(chunk) {
        output.push(chunk);
        options.stderr.push(chunk);
      },
    },
    maxMessageBytes,
    onNoise: (noise) => {
      if (noise.kind === 'oversize') {
        const { bytes, edges } = noise.line;
        const reason = `The server sent a message of ${bytes} bytes; at most ${maxMessageBytes} bytes are read`;
        transport.onunreadable?.(edges, reason);
      }
      log.debug('connection.noise', `Server '${spec.name}' printed output that is not a message`, {
        server: spec.name,
      });
    },
  });
  return transport;
}

/**
 * Starts the programs of all enabled stdio servers that are not lazy, so that they start while the rest of this process does. Another replica may
 * run a program of which there is only one, and plugins may wrap programs.
 */
export function launchServersAhead(
  { servers, plugins, gateway }: Pick<Config, 'servers' | 'plugins' | 'gateway'>,
  env: ServerProcessOptions['env'],
): AsyncDisposable {
  const programs = (plugins.length > 0 ? [] : servers).flatMap((spec) => {
    const { enabled, target, lifecycle, sandbox } = spec;
    if (!enabled || target.transport !== 'stdio' || runsOnce(spec) || lifecycle === 'lazy') return [];
    if ((sandbox?.mode ?? gateway.sandbox.default) !== 'off') return [];
    // Runners of the same package start one after the other, and the connection resolves references to secrets.
    if (findPackage(target) !== undefined || findSecretReferences(target).length > 0) return [];
    try {
      return toProgram(target, { env });
    } catch {
      // The connection reports a reference that cannot be resolved.
      return [];
    }
  });
  return launchAhead(programs);
}

function toProgram(
  target: StdioTarget,
  { env, secrets }: Pick<ServerProcessOptions, 'env' | 'secrets'>,
  onMissing?: (variable: string) => void,
): Program {
  const resolve = (value: string) => resolveReference(value, env, onMissing, secrets);
  return {
    command: target.command,
    args: target.args.map(resolve),
    env: Object.fromEntries(Object.entries(target.env).map(([name, value]) => [name, resolve(value)])),
    cwd: target.cwd,
    inheritEnv: target.inheritEnv,
  };
}
