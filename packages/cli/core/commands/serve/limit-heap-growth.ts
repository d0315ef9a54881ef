import { constants, type NodeGCPerformanceDetail, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Of both halves of the space for new objects. Below this size, many calls are still running at a collection and are copied. With twice
 * the size, a call takes up to a fifth less processor time, and the gateway 15 to 25 MB more memory.
 */
const maxNewSpaceBytes = 16 * 1024 * 1024;
/**
 * How much the old generation may grow between two full collections, in percent. Texts of large results are in the old generation from
 * the start: with 30 percent, every second result of 1 MB was followed by a full collection.
 */
const oldGenerationGrowth = { usual: 30, underLargeResults: 100 };
/** So many full collections in this time are those of large results. */
const oftenCollected = { count: 3, ms: 5_000 };

/**
 * Limits how far V8 lets the heap grow under load. On a machine with much memory the space for new objects alone grows
 * to 128 MiB, and the old generation to four times what is in use: together more than the rest of the gateway.
 * `--max-semi-space-size` can't be set from within, but growth can be switched off. V8 shrinks the space of an idle
 * process, so growth is switched on again below the limit.
 */
export function limitHeapGrowth(): Disposable {
  // While a gateway warms up, V8 compiles many functions within a second. With both processors busy, the thread that frees the memory of
  // finished compilations comes late, and the native heap stays 10 MB larger. Freed at once, the next compilation reuses it.
  setFlagsFromString('--no-maglev-destroy-on-background');
  const growth = createGrowth();
  setFlagsFromString(`--heap-growing-percent=${growth.percent}`);
  let mayGrow = true;
  function limitNewSpace(): void {
    const size = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0;
    // Growing doubles the size.
    const isBelow = size * 2 <= maxNewSpaceBytes;
    if (isBelow === mayGrow) return;
    mayGrow = isBelow;
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  }
  limitNewSpace();
  const observer = new PerformanceObserver((list) => {
    const before = growth.percent;
    for (const entry of list.getEntries()) {
      const { kind } = (entry as PerformanceEntry & { readonly detail: NodeGCPerformanceDetail }).detail;
      growth.collected(entry.startTime, kind === constants.NODE_PERFORMANCE_GC_MAJOR);
    }
    if (growth.percent !== before) setFlagsFromString(`--heap-growing-percent=${growth.percent}`);
    limitNewSpace();
  });
  observer.observe({ entryTypes: ['gc'] });
  return { [Symbol.dispose]: () => observer.disconnect() };
}

/** How much the old generation may grow: more while there are many full collections, until there was none for a while. */
export function createGrowth() {
  let full: number[] = [];
  let percent = oldGenerationGrowth.usual;
  return {
    get percent(): number {
      return percent;
    },
    /** After a collection at this time; `isFull`: of the old generation. */
    collected(time: number, isFull: boolean): void {
      full = full.filter((earlier) => time - earlier < oftenCollected.ms);
      if (full.length === 0) percent = oldGenerationGrowth.usual;
      if (isFull) full.push(time);
      if (full.length >= oftenCollected.count) percent = oldGenerationGrowth.underLargeResults;
    },
  };
}
