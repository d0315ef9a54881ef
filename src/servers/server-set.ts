import type { ServerSpec } from '../config/config.ts';
import { placeOf } from '../config/place-of.ts';
import type { Connection } from '../connections/connection.ts';
import { messageOf, ToolwharfError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { waitAtMost } from '../kernel/wait.ts';

export interface ServerSetOptions {
  readonly open: (spec: ServerSpec) => Connection;
  /** A server left the set; its tools must go. */
  readonly onRemoved: (name: string) => void;
  readonly log: Log;
  /** How long the start waits for servers that are not required; the rest go on connecting behind it. */
  readonly startWaitMs: number;
}

export interface StartOptions {
  /** Connects them at once; true. */
  readonly connect?: boolean;
  /** No server stops the start, required ones included; false. */
  readonly tolerant?: boolean;
  readonly signal?: AbortSignal;
}

/** All servers of a toolbox, each with its connection. */
export interface ServerSet {
  /** Connects all of them in parallel. Rejects when a required one can't be reached, with every such one named. */
  start(specs: readonly ServerSpec[], options?: StartOptions): Promise<void>;
  /** Adds one and connects it; it stays, and is tried again, when that fails. */
  add(spec: ServerSpec): Promise<void>;
  /** Takes another specification for a server: a new connection in place of the old one. */
  replace(spec: ServerSpec): Promise<void>;
  remove(name: string): Promise<void>;
  get(name: string): Connection | undefined;
  all(): readonly Connection[];
  close(): Promise<void>;
}

export function createServerSet(options: ServerSetOptions): ServerSet {
  const { log } = options;
  const connections = new Map<string, Connection>();

  function open(spec: ServerSpec): Connection {
    const connection = options.open(spec);
    connections.set(spec.name, connection);
    return connection;
  }

  async function connect(
    connection: Connection,
    attempts: number,
    signal?: AbortSignal,
    tolerant = false,
  ): Promise<void> {
    if (!connection.spec.enabled) return;
    try {
      await connection.connect({ attempts, ...(signal && { signal }) });
    } catch (cause) {
      const { name } = connection.spec;
      if ((connection.spec.required && !tolerant) || signal?.aborted) throw cause;
      log.warning('server.skipped', `MCP server '${name}' is not available and skipped: ${messageOf(cause)}`, {
        server: name,
      });
    }
  }

  async function startRequired(connection: Connection, signal?: AbortSignal): Promise<void> {
    try {
      await connect(connection, 1 + connection.spec.retryAttempts, signal);
    } catch (cause) {
      signal?.throwIfAborted();
      throw unreachable(connection.spec, cause);
    }
  }

  async function remove(name: string): Promise<void> {
    const connection = connections.get(name);
    if (!connection) return;
    connections.delete(name);
    // Its tools go first: stopping a program takes a while, and nobody should call one that is being stopped.
    options.onRemoved(name);
    await connection.disconnect();
  }

  return {
    async start(specs, { connect: connectThem = true, tolerant = false, signal } = {}) {
      const opened = specs.map(open);
      if (!connectThem) return;
      const required = tolerant ? [] : opened.filter((connection) => connection.spec.required);
      const optional = opened.filter((connection) => !required.includes(connection));
      const behind = Promise.all(optional.map((connection) => connect(connection, 1, signal, tolerant)));
      const [outcomes] = await Promise.all([
        Promise.allSettled(required.map((connection) => startRequired(connection, signal))),
        waitAtMost(behind, options.startWaitMs),
      ]);
      const failures = outcomes.filter((outcome) => outcome.status === 'rejected').map((outcome) => outcome.reason);
      if (failures.length === 1) throw failures[0];
      if (failures.length > 1) {
        throw new ToolwharfError('SERVER_UNREACHABLE', failures.map(messageOf).join('\n\n'), { cause: failures[0] });
      }
    },
    add: (spec) => connect(open(spec), 1),
    async replace(spec) {
      const old = connections.get(spec.name);
      // In the same place: the order of the servers decides which names their tools get.
      const connection = open(spec);
      if (old) {
        options.onRemoved(spec.name);
        await old.disconnect();
      }
      await connect(connection, 1);
    },
    remove,
    get: (name) => connections.get(name),
    all: () => [...connections.values()],
    async close() {
      await Promise.all([...connections.values()].map((connection) => connection.disconnect()));
    },
  };
}

function unreachable(spec: ServerSpec, cause: unknown): ToolwharfError {
  const message = [
    `Failed to connect to MCP server '${spec.name}' at ${placeOf(spec)}`,
    `Error: ${messageOf(cause)}`,
    '',
    'The application cannot start without connecting to all configured MCP servers.',
  ].join('\n');
  return new ToolwharfError('SERVER_UNREACHABLE', message, { cause, data: { server: spec.name } });
}
