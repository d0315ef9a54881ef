import { ConnectionError, messageOf, ToolwharfError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { Config, ServerSpec } from '../../contract/settings/config.ts';
import { describeLocation } from '../../contract/settings/server-url.ts';
import type { Connection } from '../connections/connection.ts';
import type { Reach } from '../connections/http/guard-addresses.ts';
import type { SessionPlugins } from '../connections/session.ts';
import type { Log } from '../kernel/log.ts';
import { abortable, waitAtMost } from '../kernel/wait.ts';

export interface ServerSetOptions {
  readonly open: (spec: ServerSpec, plugins?: SessionPlugins) => Connection;
  /** False for a server that must not run beside its replacement. */
  readonly canRunTwice?: (spec: ServerSpec) => boolean;
  /** A connection that was prepared is in use from now on: its status and its lists have not been announced. */
  readonly onUsed: (connection: Connection) => Promise<void>;
  /** A server left the set: its tools must be removed. */
  readonly onRemoved: (name: string) => Promise<void>;
  /** Resolves when the calls that a server runs now have ended. */
  readonly callsEnded?: (server: string) => Promise<unknown>;
  /** The tools of a server that were accepted before. */
  readonly acceptedTools: (spec: ServerSpec) => Promise<readonly JsonObject[]>;
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
  /** Ends the wait for servers that are not required. */
  readonly stopWaiting?: AbortSignal;
}

/** The servers of a toolbox with their connections. */
export interface ServerSet {
  /** Connects all servers in parallel. Rejects if required servers cannot be reached; the error names each of them. */
  start(specs: readonly ServerSpec[], options?: StartOptions): Promise<void>;
  /**
   * Adds and connects a server, in place of one of the same name. A server that cannot be reached stays and retries, unless it
   * is required: then the set does not change, and the promise rejects. `isKnown`: it existed before the start, and sleeps if it may.
   */
  put(spec: ServerSpec, options?: { readonly isKnown?: boolean }): Promise<void>;
  /**
   * Connects servers beside those of the set: those that are required, and strict ones, whose tools may not be allowed. Rejects
   * if a required one cannot be reached; then all that were started have ended, and the set has not changed.
   */
  prepare(change: ServerChange, options?: PrepareOptions): Promise<PreparedServers>;
  remove(name: string): Promise<void>;
  get(name: string): Connection | undefined;
  all(): readonly Connection[];
  /** True for a connection that is not in use yet, or that another one has replaced: its events must not be reported. */
  isSilent(connection: Connection): boolean;
  close(): Promise<void>;
}

/** A change of several servers at once. */
export interface ServerChange {
  readonly removed: readonly string[];
  /** Added to the set, or in place of a server of the same name. */
  readonly put: readonly ServerSpec[];
}

export interface PrepareOptions {
  /** The plugins that the servers will use. */
  readonly plugins?: SessionPlugins;
  /** Required servers need not be reached; false. */
  readonly tolerant?: boolean;
  readonly signal?: AbortSignal;
}

/** Servers that wait to become those of the set. */
export interface PreparedServers {
  /** The connections that the set will have. */
  next(): readonly Connection[];
  /** Whether a connection is one of those that were prepared. */
  isNew(connection: Connection): boolean;
  /** Changes the set. The servers that left it still run. */
  use(): void;
  /** After `use`: the connections that left the set. */
  left(): readonly Connection[];
  /**
   * After `use`: ends the servers that left the set, and connects those that are not connected. It waits for them like the start,
   * and no longer once the signal aborts. Never rejects.
   */
  finish(signal?: AbortSignal): Promise<void>;
  /** Instead of `use`: ends all that were prepared. */
  discard(): Promise<void>;
}

export function createServerSet(options: ServerSetOptions): ServerSet {
  const { log } = options;
  const connections = new Map<string, Connection>();
  /** Connections that were replaced, until their calls have ended. */
  const leaving = new Set<Connection>();
  /** Connections that are being prepared. */
  const silent = new WeakSet<Connection>();
  let isClosed = false;

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
    if (!connection.spec.enabled || isClosed) return;
    try {
      await connection.connect({ attempts, signal });
    } catch (cause) {
      const { name } = connection.spec;
      if ((connection.spec.required && !tolerant) || signal?.aborted) throw cause;
      // Nobody waits for a server that was disconnected or removed during its first attempt.
      const isWanted = !isClosed && connections.get(name) === connection;
      if (!isWanted || (cause instanceof ToolwharfError && cause.data.wasDisconnected === true)) return;
      log.warning('server.skipped', `MCP server '${name}' is not available and skipped: ${messageOf(cause)}`, {
        server: name,
      });
    }
  }

  /** Starts a server that existed before. A lazy one whose tools are known sleeps until a request needs it. */
  async function startKnown(connection: Connection, signal?: AbortSignal, tolerant?: boolean): Promise<void> {
    const { spec, rest } = connection;
    const tools = rest && spec.enabled ? await options.acceptedTools(spec).catch(() => []) : [];
    if (!rest || tools.length === 0 || isClosed) return connect(connection, 1, signal, tolerant);
    await rest(tools);
  }

  async function startRequired(connection: Connection, signal?: AbortSignal): Promise<void> {
    try {
      await connect(connection, 1 + connection.spec.retryAttempts, signal);
    } catch (cause) {
      signal?.throwIfAborted();
      throw unreachable(connection.spec, cause);
    }
  }

  /** Waits for servers that may also connect in the background. */
  async function waitBehind(connecting: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
    await waitAtMost(abortable(connecting, signal).catch(ignoreAbort(signal)), options.startWaitMs);
  }

  async function endLater(connection: Connection, callsEnded: Promise<unknown>): Promise<void> {
    leaving.add(connection);
    await waitAtMost(callsEnded, connection.spec.timeoutMs);
    await connection.disconnect();
    leaving.delete(connection);
  }

  /** Connects a server before it is used. */
  function connectFirst(connection: Connection, { tolerant = false, signal }: PrepareOptions): Promise<void> {
    return connection.spec.required && !tolerant
      ? startRequired(connection, signal)
      : connect(connection, 1, signal, tolerant);
  }

  async function prepare(
    { removed, put }: ServerChange,
    prepareOptions: PrepareOptions = {},
  ): Promise<PreparedServers> {
    const prepared = put.map((spec) => options.open(spec, prepareOptions.plugins));
    for (const connection of prepared) silent.add(connection);
    const canRunNow = (spec: ServerSpec) => !connections.has(spec.name) || (options.canRunTwice?.(spec) ?? true);
    const first = prepared.filter(({ spec }) => (spec.required || spec.mode === 'strict') && canRunNow(spec));
    let left: readonly Connection[] = [];
    /** The ends of the calls of servers that run beside their replacement. */
    const callsEnded = new Map<Connection, Promise<unknown>>();

    /** Programs may need the same port or file as their replacement, and then it has not started yet. */
    function runsBeside({ spec: { name, target } }: Connection): boolean {
      return (
        first.some(({ spec }) => spec.name === name) ||
        ('url' in target && put.some((one) => one.name === name && canRunNow(one)))
      );
    }

    async function discard(): Promise<void> {
      await Promise.all(prepared.map((connection) => connection.disconnect()));
    }

    const outcomes = await Promise.allSettled(first.map((connection) => connectFirst(connection, prepareOptions)));
    try {
      throwFailures(outcomes);
    } catch (cause) {
      await discard();
      throw cause;
    }

    return {
      next() {
        const next = new Map(connections);
        for (const name of removed) next.delete(name);
        for (const connection of prepared) next.set(connection.spec.name, connection);
        return [...next.values()];
      },
      isNew: (connection) => prepared.includes(connection),
      use() {
        const names = [...removed, ...put.map(({ name }) => name)];
        left = names.flatMap((name) => connections.get(name) ?? []);
        for (const connection of left.filter(runsBeside)) {
          const ended = options.callsEnded?.(connection.spec.name);
          if (ended) callsEnded.set(connection, ended);
        }
        for (const name of removed) connections.delete(name);
        for (const connection of prepared) {
          connections.set(connection.spec.name, connection);
          silent.delete(connection);
        }
      },
      left: () => left,
      async finish(signal) {
        const used = Promise.all(first.map(reportUse));
        for (const [connection, ended] of callsEnded) void endLater(connection, ended);
        // A server is started after the one that it replaces has ended: they may need the same port or file.
        await Promise.all(left.map((one) => (callsEnded.has(one) ? undefined : one.disconnect())));
        await used;
        const isUsed = (connection: Connection) => connections.get(connection.spec.name) === connection;
        const waiting = prepared.filter((connection) => !first.includes(connection) && isUsed(connection));
        await waitBehind(Promise.all(waiting.map((connection) => connect(connection, 1, undefined, true))), signal);
      },
      discard,
    };
  }

  async function reportUse(connection: Connection): Promise<void> {
    const { name } = connection.spec;
    await options.onUsed(connection).catch((cause) => {
      log.warning('server.not-listed', `The lists of server '${name}' could not be used: ${messageOf(cause)}`, {
        server: name,
      });
    });
  }

  async function putRequired(spec: ServerSpec): Promise<void> {
    const change = await prepare({ removed: [], put: [spec] });
    const isReplaced = connections.has(spec.name);
    change.use();
    if (isReplaced) await options.onRemoved(spec.name);
    await change.finish();
  }

  async function putOptional(spec: ServerSpec, isKnown: boolean): Promise<void> {
    const old = connections.get(spec.name);
    // Its position stays: the order of the servers decides which names their tools get.
    const connection = open(spec);
    if (old) await Promise.all([options.onRemoved(spec.name), old.disconnect()]);
    await (isKnown ? startKnown(connection) : connect(connection, 1));
  }

  async function remove(name: string): Promise<void> {
    const connection = connections.get(name);
    if (!connection) return;
    connections.delete(name);
    // Tools are removed first: stopping a program takes a while, and it must not be called meanwhile.
    await Promise.all([options.onRemoved(name), connection.disconnect()]);
  }

  return {
    async start(specs, { connect: connectThem = true, tolerant = false, signal, stopWaiting } = {}) {
      const opened = specs.map(open);
      if (!connectThem) return;
      const required = tolerant ? [] : opened.filter((connection) => connection.spec.required);
      const optional = opened.filter((connection) => !required.includes(connection));
      const behind = Promise.all(optional.map((connection) => startKnown(connection, signal, tolerant)));
      const [outcomes] = await Promise.all([
        Promise.allSettled(required.map((connection) => startRequired(connection, signal))),
        waitBehind(behind, stopWaiting),
      ]);
      throwFailures(outcomes);
    },
    put: (spec, { isKnown = false } = {}) =>
      spec.required && spec.enabled ? putRequired(spec) : putOptional(spec, isKnown),
    prepare,
    remove,
    isSilent(connection) {
      const used = connections.get(connection.spec.name);
      return silent.has(connection) || (used !== undefined && used !== connection);
    },
    get: (name) => connections.get(name),
    all: () => [...connections.values()],
    async close() {
      isClosed = true;
      await Promise.all([...connections.values(), ...leaving].map((connection) => connection.disconnect()));
    },
  };
}

function throwFailures(outcomes: readonly PromiseSettledResult<void>[]): void {
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected').map((outcome) => outcome.reason);
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1)
    throw new ConnectionError('SERVER_UNREACHABLE', failures.map(messageOf).join('\n\n'), { cause: failures[0] });
}

function ignoreAbort(signal: AbortSignal | undefined): (cause: unknown) => void {
  return (cause) => {
    if (!signal?.aborted) throw cause;
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
  return new ConnectionError('SERVER_UNREACHABLE', message, { cause, data: { server: spec.name } });
}

/** Restricts which servers a toolbox may have. */
interface ServerAccess {
  /** Which addresses a server may lead to. */
  reachOf(server: string): Reach;
  /** Returns the server; throws if it is a program and programs are not allowed. */
  assertAllowed(spec: ServerSpec): ServerSpec;
}
