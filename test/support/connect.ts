import type { JsonObject } from '../../packages/contract/json.ts';
import type { ServerSpec } from '../../packages/contract/settings/config.ts';
import { serverDefaults, toolDefaults } from '../../packages/contract/settings/defaults.ts';
import {
  type Connection,
  type ConnectionOptions,
  createConnection,
} from '../../packages/toolwharf/connections/connection.ts';
import { createHttpEndpoints } from '../../packages/toolwharf/connections/http/http-endpoints.ts';
import { createProtocolCache } from '../../packages/toolwharf/connections/protocol-cache.ts';
import { systemClock } from '../../packages/toolwharf/kernel/clock.ts';
import { silentLog } from '../../packages/toolwharf/kernel/log.ts';
import type { Program } from './fixtures.ts';
import { patienceMs } from './wait-for.ts';

export interface TestConnection extends Connection, AsyncDisposable {
  /** Every state of the connection so far. */
  readonly states: string[];
  readonly notes: { method: string; params: JsonObject }[];
}

/** A specification with the defaults of the native dialect. */
function specOf(target: Program | string, changes: Partial<ServerSpec> = {}): ServerSpec {
  return {
    ...serverDefaults,
    name: 'subject',
    timeoutMs: patienceMs,
    retryAttempts: 0,
    defaultTool: { ...toolDefaults, timeoutMs: patienceMs },
    target:
      typeof target === 'string'
        ? { transport: 'auto', url: target, headers: {}, authentication: { type: 'none' }, allowInsecure: false }
        : { transport: 'stdio', command: target.command, args: target.args, env: target.env },
    ...changes,
  };
}

/** A connection to a program or a URL, not yet connected; disposing disconnects it. */
export function createTestConnection(
  target: Program | string,
  changes: Partial<ServerSpec> = {},
  options: Partial<ConnectionOptions> = {},
): TestConnection {
  const states: string[] = [];
  const notes: { method: string; params: JsonObject }[] = [];
  const connection = createConnection(specOf(target, changes), {
    defaultHost: {},
    protocolCache: createProtocolCache(),
    log: silentLog,
    env: process.env,
    openHttp: createHttpEndpoints({
      env: process.env,
      log: silentLog,
      clock: systemClock,
      maxMessageBytes: 64 * 1024 * 1024,
    }),
    maxMessageBytes: 64 * 1024 * 1024,
    clock: systemClock,
    healthMs: 30_000,
    onStatus: (status) => states.push(status.state),
    onList: () => {},
    onNotification: (method, params) => notes.push({ method, params }),
    ...options,
  });
  // Getters must remain getters: a copy would freeze the status.
  return Object.defineProperties(connection, {
    states: { value: states },
    notes: { value: notes },
    [Symbol.asyncDispose]: { value: () => connection.disconnect() },
  }) as TestConnection;
}

/** The text of a raw result's first block. */
export function firstText(result: JsonObject): string {
  const [block] = result.content as { text?: string }[];
  return block?.text ?? '';
}
