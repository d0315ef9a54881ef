import { messageOf } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { ChatEvent } from './chat.ts';

type Listener = (event: ChatEvent) => void;

/** Tells those who watch a conversation, in order and never in the middle of a change. */
export interface Watchers {
  watch(id: string, listener: Listener): () => void;
  tell(id: string, event: ChatEvent): void;
  /** Looks at something when all that happened to it was told: what is told from then on is not in what `look` gave. */
  look<Value>(id: string, look: () => Value): Promise<Value>;
}

interface Watched {
  readonly listeners: Set<Listener>;
  waiting: ChatEvent[];
  looks: (() => void)[];
  timer?: { clear(): void; readonly isSoon: boolean };
}

/** Text is gathered for `gatherMs`; anything else is told as soon as the change that caused it is done. */
export function createWatchers({ log, gatherMs = 30 }: { readonly log: Log; readonly gatherMs?: number }): Watchers {
  const all = new Map<string, Watched>();

  function flush(id: string): void {
    const watched = all.get(id);
    if (!watched) return;
    watched.timer?.clear();
    const { waiting, looks } = watched;
    delete watched.timer;
    watched.waiting = [];
    watched.looks = [];
    for (const event of waiting) for (const listener of [...watched.listeners]) hear(listener, event);
    // Whoever waits for these goes on before anything else is told: telling is always a task of its own.
    for (const look of looks) look();
  }

  function schedule(id: string, watched: Watched, isSoon: boolean): void {
    if (watched.timer && (watched.timer.isSoon || !isSoon)) return;
    watched.timer?.clear();
    watched.timer = isSoon ? soon(() => flush(id)) : later(() => flush(id), gatherMs);
  }

  function hear(listener: Listener, event: ChatEvent): void {
    try {
      listener(event);
    } catch (cause) {
      log.error('chat.watcher-failed', `Somebody who watches a conversation failed: ${messageOf(cause)}`);
    }
  }

  return {
    watch(id, listener) {
      const watched = all.get(id) ?? { listeners: new Set(), waiting: [], looks: [] };
      // One function may watch twice; each time is its own.
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
    tell(id, event) {
      const watched = all.get(id);
      if (!watched) return;
      const last = watched.waiting.at(-1);
      const joined = last && join(last, event);
      if (joined) watched.waiting.pop();
      watched.waiting.push(joined ?? event);
      schedule(id, watched, event.kind !== 'text');
    },
    async look(id, look) {
      const watched = all.get(id);
      if (!watched) return look();
      return new Promise((resolve) => {
        watched.looks.push(() => resolve(look()));
        schedule(id, watched, true);
      });
    },
  };
}

/** Two events that say as much as one: more text of a part, or the same part once more. */
function join(last: ChatEvent, event: ChatEvent): ChatEvent | undefined {
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
