import type { Transport } from '@modelcontextprotocol/client';
import { ConnectionError, messageOf } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import type { ServerSpec } from '../../contract/settings/config.ts';
import type { PluginTarget } from '../../contract/settings/plugin-config.ts';
import { resolveOptions } from '../config/references.ts';
import { abortable, waitAtMost } from '../kernel/wait.ts';
import type { SessionOptions } from './session.ts';

const closeMs = 5_000;

/** Opens the transport of a plugin for one session. Whatever the plugin does, the transport settles in time. */
export async function openPluginTransport(spec: ServerSpec, options: SessionOptions): Promise<Transport> {
  const { name, options: configured } = spec.target as PluginTarget;
  const { plugins, env, log, redactor, secrets } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(spec.timeoutMs)]);
  const resolved = resolveOptions(configured, { env, log, secrets, onSecret: redactor.add });
  const opening = attempt(() => plugins?.openTransport(name, resolved, { server: spec.name, signal }));
  const opened = await abortable(opening, signal).catch((cause) => {
    // A transport that is opened too late is closed.
    void opening.then((late) => (isTransport(late) ? late.close() : undefined)).catch(() => {});
    throw cause;
  });
  if (isTransport(opened)) return guardTransport(opened, signal);
  const message = `The transport '${name}' of a plugin is not a transport: it needs start, send and close`;
  throw new ConnectionError('SERVER_UNREACHABLE', message, { data: { reached: false } });
}

/** Keeps exceptions, endless waits and invalid messages of a transport from reaching the connection. */
export function guardTransport(inner: Transport, opening: AbortSignal): Transport {
  let isClosed = false;
  let closing: Promise<void> | undefined;
  const guarded: Transport = {
    get sessionId() {
      return inner.sessionId;
    },
    get hasPerRequestStream() {
      return inner.hasPerRequestStream;
    },
    start: () =>
      abortable(
        attempt(() => inner.start()),
        opening,
      ),
    send: (message, options) => attempt(() => inner.send(message, options)),
    close() {
      closing ??= close();
      return closing;
    },
    setProtocolVersion(version) {
      try {
        inner.setProtocolVersion?.(version);
      } catch (cause) {
        report(cause);
      }
    },
  };

  async function close(): Promise<void> {
    const closed = attempt(() => inner.close());
    await waitAtMost(closed, closeMs).catch(() => {});
    onClosed();
  }

  function onClosed(): void {
    if (isClosed) return;
    isClosed = true;
    guarded.onclose?.();
  }

  function report(cause: unknown): void {
    guarded.onerror?.(cause instanceof Error ? cause : new Error(messageOf(cause)));
  }

  inner.onclose = onClosed;
  inner.onerror = report;
  inner.onmessage = (message: unknown, extra) => {
    if (isClosed) return;
    try {
      if (isObject(message)) guarded.onmessage?.(message as never, extra);
      else report(new Error('The transport delivered a message that is not an object'));
    } catch (cause) {
      // An exception must not reach the event loop through the plugin's own code.
      report(cause);
    }
  };
  return guarded;
}

async function attempt<Value>(run: () => Value): Promise<Awaited<Value>> {
  return await run();
}

function isTransport(value: unknown): value is Transport {
  return isObject(value) && ['start', 'send', 'close'].every((method) => typeof value[method] === 'function');
}
