import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../../invocation/call.ts';
import type { TaskView } from './task-view.ts';

const progressIntervalMs = 100;

/** Yields the task, then its state after every change, until the call ends or the watcher disconnects. Progress is limited in rate. */
export async function* watchTask(
  call: Call,
  gone: AbortSignal,
  read: () => Promise<TaskView>,
): AsyncGenerator<TaskView, void, undefined> {
  const events = call.events[Symbol.asyncIterator]();
  const leave = () => void events.return?.();
  gone.addEventListener('abort', leave, { once: true });
  let progressAt = 0;
  try {
    // The first event is the current state, which is part of the task.
    await events.next();
    const first = await read();
    yield first;
    if (first.result || gone.aborted) return;
    for await (const event of { [Symbol.asyncIterator]: () => events }) {
      // The end follows with its result.
      if (event.type === 'log' || (event.type === 'state' && event.state === 'ended')) continue;
      if (event.type === 'progress') {
        const waitMs = progressAt + progressIntervalMs - Date.now();
        if (waitMs > 0) await Promise.race([sleep(waitMs, undefined, { ref: false }), call.result]);
        if (call.state !== 'running') continue;
        progressAt = Date.now();
      }
      yield await read();
    }
  } finally {
    gone.removeEventListener('abort', leave);
    leave();
  }
}
