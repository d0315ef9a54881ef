/** Writes a value that changes often: one write at a time, always of the current value. */
export interface Saver {
  /** Resolves when the value at the time of the call, or a newer one, is written. */
  save(): Promise<void>;
  /** Like `save`, without waiting. */
  saveNow(): void;
  /** Writes after the debounce time, unless a write happens before. */
  saveSoon(): void;
}

export interface SaverOptions {
  readonly write: () => Promise<void>;
  /** Called if a write without a waiting caller fails. */
  readonly onError: (cause: unknown) => void;
  /** Delay of `saveSoon`. */
  readonly debounceMs: number;
}

export function createSaver({ write, onError, debounceMs }: SaverOptions): Saver {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function startWrite(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    next = undefined;
    running = write();
    return running;
  }

  function save(): Promise<void> {
    // A write that has not started yet will include the current value.
    next ??= (running ?? Promise.resolve()).catch(() => {}).then(startWrite);
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
      }, debounceMs).unref();
    },
  };
}
