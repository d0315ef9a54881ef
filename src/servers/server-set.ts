import type { Config, ServerSpec } from '../config/config.ts';
import { describeLocation } from '../config/server-url.ts';
import type { Connection } from '../connections/connection.ts';
import type { Reach } from '../connections/http/guard-addresses.ts';
import { messageOf, ToolwharfError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { waitAtMost } from '../kernel/wait.ts';

export interface ServerSetOptions {
  readonly open: (spec: ServerSpec) => Connection;
  /** A server left the set: its tools must be removed. */
  readonly onRemoved: (name: string) => Promise<void>;
  readonly log: Log;
  /** How long the start waits for servers that are not required; those that take longer connect in the background. */
  readonly startWaitMs: number;
}

export interface StartOptions {
  /** Connects the servers at the start; true. */
  readonly connect?: boolean;
  /** The start continues without servers that cannot be reached, even required ones; false. */
  readonly tolerant?: boolean;
  readonly signal?: AbortSignal;
}

/** The servers of a toolbox with their connections. */
export interface ServerSet {
  /** Connects all servers in parallel. Rejects if required servers cannot be reached; the error names each of them. */
  start(specs: readonly ServerSpec[], options?: StartOptions): Promise<void>;
  /** Adds and connects a server. If that fails, the server stays and retries. */
  add(spec: ServerSpec): Promise<void>;
  /** Replaces a server's specification and connects again. */
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
      await connection.connect({ attempts, signal });
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
    // Tools are removed first: stopping a program takes a while, and it must not be called meanwhile.
    await Promise.all([options.onRemoved(name), connection.disconnect()]);
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
      // Its position stays: the order of the servers decides which names their tools get.
      const connection = open(spec);
      if (old) {
        await Promise.all([options.onRemoved(spec.name), old.disconnect()]);
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

interface ServerAccessOptions {
  readonly config: () => Config;
  /** Whether servers that are added while running must have public addresses; undefined trusts them like those of the file. */
  readonly publicOnly?: (config: Config) => boolean;
  /** Allows servers that are started as local programs; true. */
  readonly spawn?: boolean;
}

export function createServerAccess({ config, publicOnly, spawn }: ServerAccessOptions): ServerAccess {
  return {
    reachOf(server) {
      if (!publicOnly || config().servers.some(({ name }) => name === server)) return 'configured';
      return publicOnly(config()) ? 'public' : 'added';
    },
    assertAllowed(spec) {
      if (spawn !== false || spec.target.transport !== 'stdio') return spec;
      const message = `Server '${spec.name}' is a local (stdio) server, and starting programs is not allowed here: use a URL`;
      throw new ToolwharfError('CONFIG_INVALID', message, { data: { server: spec.name } });
    },
  };
}

function unreachable(spec: ServerSpec, cause: unknown): ToolwharfError {
  const message = [
    `Failed to connect to MCP server '${spec.name}' at ${describeLocation(spec)}`,
    `Error: ${messageOf(cause)}`,
    '',
    'The application cannot start without connecting to all configured MCP servers.',
  ].join('\n');
  return new ToolwharfError('SERVER_UNREACHABLE', message, { cause, data: { server: spec.name } });
}

/** Restricts which servers a toolbox may have. */
interface ServerAccess {
  /** Which addresses a server may lead to. */
  reachOf(server: string): Reach;
  /** Returns the server; throws if it is a program and programs are not allowed. */
  assertAllowed(spec: ServerSpec): ServerSpec;
}
