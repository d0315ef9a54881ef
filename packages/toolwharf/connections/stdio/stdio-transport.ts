import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { ConnectionError, messageOf } from '../../../contract/errors.ts';
import { parseMessage, toJsonText, toLine } from '../../kernel/exact-json.ts';
import { createNotificationThrottle, readThrottled } from '../notification-throttle.ts';
import type { StderrTail } from '../stderr-tail.ts';
import { endProgram, launchProgram, type Program, type RunningProgram } from './launch-program.ts';
import { createLineReader, type OversizeLine } from './line-reader.ts';
import type { StopOptions } from './stop-child.ts';

export interface StdioTransportOptions extends Program {
  readonly stderr: StderrTail;
  readonly maxMessageBytes: number;
  /** Called for output that is not a message: stray text, or a line over the size limit. */
  readonly onNoise: (noise: { kind: 'not-json' } | { kind: 'oversize'; line: OversizeLine }) => void;
  readonly stop?: StopOptions;
  /** Resolves with the program to start instead; this one if undefined. */
  readonly wrap?: () => Promise<Program>;
}

/** A server as a child process in its own process group. The SDK recognises it by `pid` and `stderr`. */
export interface StdioTransport extends Transport {
  readonly pid: number | null;
  readonly stderr: StderrTail;
  /** Starts the process; its output is read from `start` on. */
  launch(): Promise<void>;
  /** Called for a message that could not be read, with its first and last characters and the reason. */
  onunreadable?: (edges: string, reason: string) => void;
  /** Called for a large message before it is parsed; false if it must not be parsed. */
  onlarge?: (edges: string, parts: readonly Buffer[]) => boolean;
  /** How the process ended; undefined while it runs. */
  readonly ending: string | undefined;
}

export function createStdioTransport(options: StdioTransportOptions): StdioTransport {
  let launching: Promise<RunningProgram> | undefined;
  let child: ChildProcess | undefined;
  let ending: string | undefined;
  let closing: Promise<void> | undefined;
  let closed = false;
  const throttle = createNotificationThrottle();

  const transport: StdioTransport & { onmessage?: Transport['onmessage'] } = {
    stderr: options.stderr,
    get pid() {
      return child?.pid ?? null;
    },
    get ending() {
      return ending;
    },

    async launch() {
      launching ??= options.wrap ? wrapAndLaunch(options.wrap) : launchProgram(options);
      const program = await launching;
      if (child) return;
      child = program.child;
      program.onStderr(options.stderr.push);
    },

    async start() {
      await transport.launch();
      const started = child as ChildProcess;
      const reader = createLineReader({
        maxBytes: options.maxMessageBytes,
        onLine: receive,
        onLarge: (edges, parts) => transport.onlarge?.(edges, parts) ?? true,
        onOversize: (line) => options.onNoise({ kind: 'oversize', line }),
      });
      if (started.stdout) readThrottled(started.stdout, reader.push, throttle);
      const onExit = (code: number | null, signal: NodeJS.Signals | null) => {
        if (closing) return;
        ending = signal ? `ended by ${signal}` : `exited with code ${code}`;
        // The pipe may still contain output from just before the exit. `close` follows when it has been read, unless a
        // grandchild keeps the pipe open: so wait for it, but not long.
        const done = () => void transport.close();
        started.once('close', done);
        setTimeout(done, 200).unref();
      };
      // The process may have ended before this listener was added.
      if (started.exitCode === null && started.signalCode === null) started.once('exit', onExit);
      else onExit(started.exitCode, started.signalCode);
    },

    async send(message) {
      const stdin = child?.stdin;
      if (!stdin?.writable || closed || ending) {
        throw new ConnectionError('SERVER_DISCONNECTED', `The server's process ${ending ?? 'is not running'}`, {
          data: { reached: false },
        });
      }
      const failure = await new Promise<Error | null | undefined>((resolve) => {
        stdin.write(`${toLine(toJsonText(message))}\n`, resolve);
      });
      if (!failure) return;
      // The pipe breaks a moment before the exit is reported, and the exit explains more.
      await waitForExit();
      // The server cannot have acted on an incomplete line.
      throw new ConnectionError(
        'SERVER_DISCONNECTED',
        ending === undefined ? messageOf(failure) : `The server's process ${ending}`,
        { cause: failure, data: { reached: false } },
      );
    },

    close() {
      closing ??= stop();
      return closing;
    },
  };

  async function wrapAndLaunch(wrap: () => Promise<Program>): Promise<RunningProgram> {
    const program = await wrap();
    // Closed meanwhile: `stop` waits for a program that it can end.
    return launchProgram({ ...program, expiresInMs: options.expiresInMs });
  }

  async function waitForExit(): Promise<void> {
    if (!child || ending !== undefined) return;
    await once(child, 'exit', { signal: AbortSignal.timeout(500) }).catch(() => {});
  }

  function receive(line: string): void {
    let message: unknown;
    try {
      message = parseMessage(line);
    } catch {
      options.onNoise({ kind: 'not-json' });
      return;
    }
    for (const item of Array.isArray(message) ? message : [message]) {
      if (typeof item !== 'object' || item === null) {
        options.onNoise({ kind: 'not-json' });
        continue;
      }
      if ('method' in item && !('id' in item)) throttle.count();
      transport.onmessage?.(item as JSONRPCMessage);
    }
  }

  async function stop(): Promise<void> {
    // The process may still be starting.
    const program = await launching?.catch(() => undefined);
    if (program) await endProgram(program, options.stop);
    closed = true;
    transport.onclose?.();
  }

  return transport;
}
