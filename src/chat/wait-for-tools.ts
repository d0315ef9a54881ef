import type { ChatPorts } from './chat-ports.ts';

/** After a start servers need a moment: resolves when those named are connected, or have had their chance. Never rejects. */
export async function waitForTools(
  servers: readonly (string | undefined)[],
  toolbox: Pick<ChatPorts['toolbox'], 'servers' | 'on'>,
  signal: AbortSignal,
  patienceMs = 30_000,
): Promise<void> {
  const wanted = new Set(servers);
  const isReady = () =>
    toolbox
      .servers()
      .every(({ name, enabled, status }) => !wanted.has(name) || !enabled || status.state === 'connected');
  if (isReady() || signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      unsubscribe();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, patienceMs).unref();
    const unsubscribe = toolbox.on('server.changed', () => {
      if (isReady()) done();
    });
    signal.addEventListener('abort', done, { once: true });
  });
}
