import type { ServerSpec, StdioTarget } from '../../config/config.ts';
import { resolveEnv } from '../../config/references.ts';
import type { Log } from '../../kernel/log.ts';
import type { Redactor } from '../../kernel/redact.ts';
import { isSecretName } from '../../kernel/secret-names.ts';
import { createStderrTail, type StderrTail } from '../stderr-tail.ts';
import { createStdioTransport, type StdioTransport } from './stdio-transport.ts';

export interface ServerProcessOptions {
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stderr: StderrTail;
  /** Receives the server's secrets. */
  readonly redactor: Redactor;
  readonly maxMessageBytes: number;
}

/** Creates the process of a configured server, with all references resolved. */
export function createServerProcess(spec: ServerSpec, options: ServerProcessOptions): StdioTransport {
  const { log, redactor, maxMessageBytes } = options;
  const output = createStderrTail({ redact: redactor.text });
  const target = spec.target as StdioTarget;
  const resolve = (values: Readonly<Record<string, string>>) => resolveEnv(values, { env: options.env, log });
  const env = resolve(target.env);
  for (const [name, value] of Object.entries(env)) {
    if (value !== target.env[name] || isSecretName(name)) redactor.add(value);
  }
  const transport = createStdioTransport({
    command: target.command,
    args: target.args.map((argument) => resolve({ argument }).argument ?? ''),
    env,
    cwd: target.cwd,
    inheritEnv: target.inheritEnv,
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
      log.debug('connection.noise', `Server '${spec.name}' printed something that is not a message`, {
        server: spec.name,
      });
    },
  });
  return transport;
}
