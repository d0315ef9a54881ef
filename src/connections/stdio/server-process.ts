import type { ServerSpec, StdioTarget } from '../../config/config.ts';
import { resolveEnv } from '../../config/references.ts';
import { type Log, silentLog } from '../../kernel/log.ts';
import type { Redactor } from '../../kernel/redact.ts';
import { isSecretName } from '../../kernel/secret-names.ts';
import { createStderrTail, type StderrTail } from '../stderr-tail.ts';
import { launchAhead, type Program } from './launch-program.ts';
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
}

/** Creates the process of a configured server, with all references resolved. */
export function createServerProcess(spec: ServerSpec, options: ServerProcessOptions): StdioTransport {
  const { log, redactor, maxMessageBytes } = options;
  const output = createStderrTail({ redact: redactor.text });
  const target = spec.target as StdioTarget;
  const program = toProgram(target, options);
  for (const [name, value] of Object.entries(program.env)) {
    if (value !== target.env[name] || isSecretName(name)) redactor.add(value);
  }
  const transport = createStdioTransport({
    ...program,
    expiresInMs: options.expiresInMs,
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
 * Starts the programs of all enabled stdio servers, so that they start while the rest of this process does. Another replica may
 * run a program of which there is only one.
 */
export function launchServersAhead(servers: readonly ServerSpec[], env: ServerProcessOptions['env']): AsyncDisposable {
  const programs = servers.flatMap(({ enabled, target, placement }) => {
    if (!enabled || target.transport !== 'stdio' || placement === 'single') return [];
    try {
      return toProgram(target, { env, log: silentLog });
    } catch {
      // The connection reports a reference that cannot be resolved.
      return [];
    }
  });
  return launchAhead(programs);
}

function toProgram(target: StdioTarget, options: Pick<ServerProcessOptions, 'env' | 'log'>): Program {
  const resolve = (values: Readonly<Record<string, string>>) => resolveEnv(values, options);
  return {
    command: target.command,
    args: target.args.map((argument) => resolve({ argument }).argument ?? ''),
    env: resolve(target.env),
    cwd: target.cwd,
    inheritEnv: target.inheritEnv,
  };
}
