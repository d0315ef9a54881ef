import { Worker } from 'node:worker_threads';
import type { PinRow } from '../../sql/tables.ts';

/** The main thread's side of a thread that uses the tables. It starts with the first request. */
export interface TableThread {
  recover(files: readonly string[]): Promise<string>;
  moveToTables(file: string, bytes: number): Promise<void>;
  writePins(rows: readonly PinRow[]): Promise<void>;
  /** Removes up to this many free pages from the file; resolves with the number of those that are left. */
  shrink(pages: number): Promise<number>;
  /** Runs a query and returns its rows. */
  read(sql: string, parameters: readonly unknown[]): Promise<readonly object[]>;
  close(): Promise<void>;
}

// Copying the rows to the thread takes about a millisecond.
const pinsPerRequest = 500;

/** V8 takes four times as much by default, and the thread keeps nothing for long. */
const maxYoungGenerationSizeMb = 4;

const script = new URL(import.meta.url.endsWith('.js') ? './spool-thread.js' : './spool-thread.ts', import.meta.url);

export function createTableThread(database: string): TableThread {
  const waiting = new Map<number, { resolve: (reply: SpoolReply) => void; reject: (cause: unknown) => void }>();
  let nextId = 0;
  let worker: Worker | undefined;

  function open(): Worker {
    const resourceLimits = { maxYoungGenerationSizeMb };
    const opened = new Worker(script, { workerData: database, name: 'journal', resourceLimits });
    opened.unref();
    opened.on('message', (reply: SpoolReply) => {
      const one = waiting.get(reply.id);
      waiting.delete(reply.id);
      if (reply.error === undefined) one?.resolve(reply);
      else one?.reject(new Error(reply.error));
      if (waiting.size === 0) opened.unref();
    });
    const lost = (cause: unknown) => {
      if (worker === opened) worker = undefined;
      for (const { reject } of waiting.values()) reject(cause);
      waiting.clear();
    };
    opened.on('error', lost);
    opened.on('exit', () => lost(new Error('The thread of the journal has ended')));
    return opened;
  }

  function request(what: DistributiveOmit<SpoolRequest, 'id'>): Promise<SpoolReply> {
    return new Promise((resolve, reject) => {
      worker ??= open();
      const id = nextId++;
      waiting.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ id, ...what } satisfies SpoolRequest);
    });
  }

  return {
    async recover(files) {
      const { token } = await request({ recover: files });
      if (token === undefined) throw new Error('The thread that writes the journal gave no token');
      return token;
    },
    moveToTables: async (file, bytes) => void (await request({ moveToTables: file, bytes })),
    async writePins(rows) {
      for (let start = 0; start < rows.length; start += pinsPerRequest)
        await request({ writePins: rows.slice(start, start + pinsPerRequest) });
    },
    shrink: async (pages) => (await request({ shrink: pages })).freePages ?? 0,
    read: async (sql, parameters) => (await request({ read: sql, parameters })).rows ?? [],
    async close() {
      await worker?.terminate();
    },
  };
}

type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;

/** Requests to the thread. */
export type SpoolRequest =
  /** Move steps that a dead process left in these files into the tables; the reply has the token of new segments. */
  | { readonly id: number; readonly recover: readonly string[] }
  /** Move the first bytes of this file into the tables. */
  | { readonly id: number; readonly moveToTables: string; readonly bytes: number }
  /** Add or replace these pins. */
  | { readonly id: number; readonly writePins: readonly PinRow[] }
  /** Remove up to this many free pages; the reply has the number of those that are left. */
  | { readonly id: number; readonly shrink: number }
  /** Run a query; the reply has its rows. */
  | { readonly id: number; readonly read: string; readonly parameters: readonly unknown[] };

export interface SpoolReply {
  readonly id: number;
  readonly token?: string;
  readonly rows?: readonly object[];
  readonly freePages?: number;
  readonly error?: string;
}
