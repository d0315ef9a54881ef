import { messageOf } from '../../../contract/errors.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import type { ChatEvent } from './chat.ts';

type Listener = (event: ChatEvent) => void;

/** Delivers events to the watchers of each conversation, in order and after the change that caused them. */
export interface Watchers {
  watch(id: string, listener: Listener): () => void;
  publish(id: string, event: ChatEvent): void;
  /** Reads a value after all earlier events were delivered, so that exactly the later events are missing in it. */
  readConsistent<Value>(id: string, read: () => Value): Promise<Value>;
}

interface Watched {
  readonly listeners: Set<Listener>;
  queue: ChatEvent[];
  reads: (() => void)[];
  timer?: { clear(): void; readonly isSoon: boolean };
}

/** Text is collected for `debounceMs`; other events are delivered when the current change is done. */
export function createWatchers({
  log,
  debounceMs = 30,
}: {
  readonly log: Log;
  readonly debounceMs?: number;
}): Watchers {
  const all = new Map<string, Watched>();

  function flush(id: string): void {
    const watched = all.get(id);
    if (!watched) return;
    watched.timer?.clear();
    const { queue, reads } = watched;
    delete watched.timer;
    watched.queue = [];
    watched.reads = [];
    for (const event of queue) for (const listener of [...watched.listeners]) deliver(listener, event);
    // Readers continue before further events, because each delivery is a separate task.
    for (const read of reads) read();
  }

  function schedule(id: string, watched: Watched, isSoon: boolean): void {
    if (watched.timer && (watched.timer.isSoon || !isSoon)) return;
    watched.timer?.clear();
    watched.timer = isSoon ? soon(() => flush(id)) : later(() => flush(id), debounceMs);
  }

  function deliver(listener: Listener, event: ChatEvent): void {
    try {
      listener(event);
    } catch (cause) {
      log.error('chat.watcher-failed', `A watcher of a conversation failed: ${messageOf(cause)}`);
    }
  }

  return {
    watch(id, listener) {
      const watched = all.get(id) ?? { listeners: new Set(), queue: [], reads: [] };
      // The same function may be registered twice.
      const own: Listener = (event) => listener(event);
      all.set(id, watched);
      watched.listeners.add(own);
      return () => {
        watched.listeners.delete(own);
        if (watched.listeners.size > 0 || all.get(id) !== watched) return;
        flush(id);
        all.delete(id);
      };
    },
    publish(id, event) {
      const watched = all.get(id);
      if (!watched) return;
      const last = watched.queue.at(-1);
      const merged = last && merge(last, event);
      if (merged) watched.queue.pop();
      watched.queue.push(merged ?? event);
      schedule(id, watched, event.kind !== 'text');
    },
    async readConsistent(id, read) {
      const watched = all.get(id);
      if (!watched) return read();
      return new Promise((resolve) => {
        watched.reads.push(() => resolve(read()));
        schedule(id, watched, true);
      });
    },
  };
}

/** Merges two events about the same part, if one event can replace both. */
function merge(last: ChatEvent, event: ChatEvent): ChatEvent | undefined {
  if (!('index' in last) || !('index' in event)) return undefined;
  if (last.message !== event.message || last.index !== event.index) return undefined;
  if (last.kind === 'text' && event.kind === 'text') return { ...last, text: last.text + event.text };
  return last.kind === 'part' && event.kind === 'part' ? event : undefined;
}

function soon(run: () => void) {
  const handle = setImmediate(run);
  return { clear: () => clearImmediate(handle), isSoon: true };
}

function later(run: () => void, ms: number) {
  const handle = setTimeout(run, ms).unref();
  return { clear: () => clearTimeout(handle), isSoon: false };
}
