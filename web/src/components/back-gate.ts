/** Is asked before the page follows the browser back or forward; true holds it where it is. */
type Gate = () => boolean;

let gate: Gate | undefined;

// Listeners of the window are called in the order in which they came, so this one has to be there before the router's.
addEventListener('popstate', (event) => {
  if (gate?.()) event.stopImmediatePropagation();
});

/** Has a function asked whenever the browser goes back or forward. Returns what ends it. */
export function closeBackGate(asked: Gate): () => void {
  gate = asked;
  return () => {
    if (gate === asked) gate = undefined;
  };
}
