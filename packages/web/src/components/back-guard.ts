/** Decides when the browser goes back or forward; true keeps the current page. */
type BackGuard = () => boolean;

let guard: BackGuard | undefined;

// Listeners run in the order in which they were added, so this one must be added before the router's.
addEventListener('popstate', (event) => {
  if (guard?.()) event.stopImmediatePropagation();
});

/** Installs the guard; the returned function removes it. */
export function installBackGuard(next: BackGuard): () => void {
  guard = next;
  return () => {
    if (guard === next) guard = undefined;
  };
}
