import { useEffect, useRef } from 'react';

/** Has a function called when Escape is pressed and nothing else on the page wanted it. */
export function useEscape(act: (() => void) | undefined): void {
  const latest = useRef(act);
  latest.current = act;
  const isWanted = act !== undefined;
  useEffect(() => {
    if (!isWanted) return undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      // A dialog or a menu that closes by it has marked it as its own.
      if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing) latest.current?.();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [isWanted]);
}
