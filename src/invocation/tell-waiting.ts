import type { CallOptions } from '../kernel/tool.ts';

/** Tells whoever waits for a call that a person is being asked, at once and then again and again, until disposed. */
export function tellWaiting(onProgress: CallOptions['onProgress'], everyMs = 10_000): Disposable {
  // Far below what any tool reports, so that the tool's own progress still only grows.
  const step = 1e-6;
  let told = 0;
  const tell = () => onProgress?.({ progress: told++ * step, message: 'Waiting for approval' });
  const timer = onProgress && setInterval(tell, everyMs).unref();
  tell();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
