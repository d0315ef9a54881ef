import { getHeapStatistics } from 'node:v8';

/** Sent events that a client may still have to receive again, within limits for each caller and for all. */
export interface ReplayMemory {
  /** Stores an event. Above a limit, drops the oldest events. An event that alone exceeds the limits is not stored. */
  keep(event: KeptEvent): void;
  discard(event: KeptEvent): void;
  readonly bytes: number;
}

export interface KeptEvent {
  readonly caller: string;
  readonly frame: string;
  /** Called when the event is dropped to make room. */
  readonly onDrop: () => void;
}

export interface ReplayMemoryOptions {
  /** A sixteenth of the heap, at most 64 MiB. */
  readonly maxBytes?: number;
  /** An eighth of `maxBytes`. */
  readonly maxBytesPerCaller?: number;
}

const mebibyte = 1024 * 1024;
/** The memory of an event besides its text. */
const overheadBytes = 200;

export function createReplayMemory(options: ReplayMemoryOptions = {}): ReplayMemory {
  const { maxBytes = Math.min(64 * mebibyte, getHeapStatistics().heap_size_limit / 16) } = options;
  const { maxBytesPerCaller = maxBytes / 8 } = options;
  // Oldest first, of all callers and of each.
  const all = new Set<KeptEvent>();
  const byCaller = new Map<string, { readonly events: Set<KeptEvent>; bytes: number }>();
  let bytes = 0;

  function discard(event: KeptEvent): void {
    if (!all.delete(event)) return;
    bytes -= sizeOf(event);
    const own = byCaller.get(event.caller);
    if (!own) return;
    own.events.delete(event);
    own.bytes -= sizeOf(event);
    if (own.events.size === 0) byCaller.delete(event.caller);
  }

  function dropOldest(events: Iterable<KeptEvent>): void {
    for (const event of events) {
      discard(event);
      event.onDrop();
      return;
    }
  }

  return {
    get bytes() {
      return bytes;
    },
    discard,
    keep(event) {
      if (sizeOf(event) > Math.min(maxBytes, maxBytesPerCaller)) return event.onDrop();
      const own = byCaller.get(event.caller) ?? { events: new Set(), bytes: 0 };
      byCaller.set(event.caller, own);
      all.add(event);
      own.events.add(event);
      own.bytes += sizeOf(event);
      bytes += sizeOf(event);
      while (own.bytes > maxBytesPerCaller) dropOldest(own.events);
      while (bytes > maxBytes) dropOldest(all);
    },
  };
}

function sizeOf({ frame }: KeptEvent): number {
  return frame.length + overheadBytes;
}
