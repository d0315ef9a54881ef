import { Worker } from 'node:worker_threads';
import { createPassingMap } from '../../kernel/passing-map.ts';
import type { StepWrite } from '../sql/step-write.ts';
import { type JournalReply, type JournalWrite, packSteps } from './journal-message.ts';

/** Writes steps to the file in a thread of its own; resolves once they are on the disk. */
export interface JournalWriter {
  append(owner: string, writes: readonly StepWrite[]): Promise<void>;
  close(): Promise<void>;
}

const thread = new URL(
  import.meta.url.endsWith('.js') ? './journal-thread.js' : './journal-thread.ts',
  import.meta.url,
);

export function createJournalWriter(file: string): JournalWriter {
  const waiting = createPassingMap<number, { resolve: () => void; reject: (cause: unknown) => void }>();
  let nextId = 0;
  let worker: Worker | undefined;

  function open(): Worker {
    const opened = new Worker(thread, { workerData: file, name: 'journal' });
    opened.unref();
    opened.on('message', ({ id, error }: JournalReply) => {
      const one = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) one?.resolve();
      else one?.reject(new Error(error));
      if (waiting.size === 0) opened.unref();
    });
    const lost = (cause: unknown) => {
      if (worker === opened) worker = undefined;
      for (const id of [...waiting.keys()]) {
        const one = waiting.get(id);
        waiting.delete(id);
        one?.reject(cause);
      }
    };
    opened.on('error', lost);
    opened.on('exit', () => lost(new Error('The thread that writes the journal has ended')));
    return opened;
  }

  return {
    append: (owner, writes) =>
      new Promise((resolve, reject) => {
        worker ??= open();
        const id = nextId++;
        waiting.set(id, { resolve, reject });
        worker.ref();
        const sync = writes.some(({ mustSync }) => mustSync);
        worker.postMessage({ id, owner, sync, packed: packSteps(writes) } satisfies JournalWrite);
      }),
    async close() {
      await worker?.terminate();
    },
  };
}
