import type { ChatPorts } from './chat.ts';

const timeoutMs = 30_000;

/** Resolves when the named servers are connected, or after a timeout. Never rejects. */
export async function waitForTools(
  servers: readonly string[],
  toolbox: Pick<ChatPorts['toolbox'], 'servers' | 'on'>,
  signal: AbortSignal,
): Promise<void> {
  const wanted = new Set(servers);
  const isReady = () =>
    toolbox.servers
      .list()
      .every(({ name, enabled, status }) => !wanted.has(name) || !enabled || status.state === 'connected');
  if (isReady() || signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      unsubscribe();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, timeoutMs).unref();
    const unsubscribe = toolbox.on('server.changed', () => {
      if (isReady()) done();
    });
    signal.addEventListener('abort', done, { once: true });
  });
}
