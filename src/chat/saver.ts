/** Writes something that changes often: never twice at once, and always as it is when the write begins. */
export interface Saver {
  /** Resolves once everything that was there when it was called is written. */
  save(): Promise<void>;
  /** The same for whoever does not wait for it. */
  saveNow(): void;
  /** Writes within a while, if nobody does so before. */
  saveSoon(): void;
}

export interface SaverOptions {
  readonly write: () => Promise<void>;
  /** Told when a write that nobody waits for failed. */
  readonly onError: (cause: unknown) => void;
  /** How long `saveSoon` lets changes gather. */
  readonly gatherMs: number;
}

export function createSaver({ write, onError, gatherMs }: SaverOptions): Saver {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function begin(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    next = undefined;
    running = write();
    return running;
  }

  function save(): Promise<void> {
    // One that has not begun yet will write what is there now.
    next ??= (running ?? Promise.resolve()).catch(() => {}).then(begin);
    return next;
  }

  function saveNow(): void {
    save().catch(onError);
  }

  return {
    save,
    saveNow,
    saveSoon() {
      timer ??= setTimeout(() => {
        timer = undefined;
        saveNow();
      }, gatherMs).unref();
    },
  };
}
