import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { Connection, ToolCall } from '../connections/connection.ts';
import { silentLog } from '../kernel/log.ts';
import { RunningCall } from './call.ts';
import { dispatch } from './dispatch.ts';
import { prepareArguments } from './prepare-arguments.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each([
  ['', { onProgress() {} }],
  [', even if the caller did not ask for progress', {}],
])(
  'the progress that a server reports extends the timeout of its tool, up to the maximum of the server%s',
  async (_case, callHost) => {
    let host: ToolCall['host'] | undefined;
    const connection = {
      spec: { maxTimeoutMs: 2_500, target: { transport: 'http', url: 'http://s' } },
      callTool: (_tool: object, _args: object, call: ToolCall) => {
        host = call.host;
        return new Promise((_resolve, reject) => {
          call.signal.addEventListener('abort', () => reject(call.signal.reason));
        });
      },
    } as unknown as Connection;
    const entry = {
      name: 'build',
      server: 's',
      serverAddress: 'http://s',
      definition: {},
      limits: { timeoutMs: 1_000 },
    } as unknown as CatalogEntry;
    const call = new RunningCall({
      id: 'c',
      entry,
      arguments: {},
      caller: { id: 'ada', kind: 'client' },
      host: callHost,
      now: () => '2026-11-01T12:00:00.000Z',
    });
    const catalog = { find: () => entry };
    const ports = { catalog, findConnection: () => connection, defaultHost: {}, log: silentLog, onLog() {} };
    const ended = dispatch(
      call,
      {
        entry,
        args: prepareArguments(entry, {}, { checker: { check: () => ({ ok: true }) }, validationOf: () => 'strict' }),
      },
      undefined,
      undefined,
      ports,
    );
    const expectation = expect(ended).rejects.toMatchObject({
      code: 'CALL_TIMED_OUT',
      message: 'build did not finish within 2500 ms',
    });
    for (const progress of [1, 2]) {
      await vi.advanceTimersByTimeAsync(900);
      host?.onProgress?.({ progress });
    }
    await vi.advanceTimersByTimeAsync(600);
    expect(call.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    await expectation;
  },
);
