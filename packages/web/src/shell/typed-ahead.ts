const maxWaitMs = 5_000;
let typed = '';
let timer: ReturnType<typeof setTimeout> | undefined;

/** The keys that a person types between opening the search and its field getting the focus. */
export const typedAhead = {
  begin(): void {
    end();
    typed = '';
    document.addEventListener('keydown', collect, true);
    // The search may fail to load.
    timer = setTimeout(end, maxWaitMs);
  },
  /** Ends collecting; returns the keys once. */
  take(): string {
    end();
    const keys = typed;
    typed = '';
    return keys;
  },
};

function collect(event: KeyboardEvent): void {
  if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  // Otherwise the key could answer an approval of the page, or go to the field that had the focus.
  event.preventDefault();
  event.stopImmediatePropagation();
  typed += event.key;
}

function end(): void {
  clearTimeout(timer);
  document.removeEventListener('keydown', collect, true);
}
