import { type RefObject, useEffect, useRef } from 'react';

/** Runs actions by single keys while `active`, except while the person types into a field. With `within`, only while the focus is in it. */
export function useShortcuts(
  active: boolean,
  actions: Readonly<Record<string, (() => void) | undefined>>,
  within?: RefObject<HTMLElement | null>,
): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    if (!active) return undefined;
    function onKeyDown(event: KeyboardEvent): void {
      if (event.repeat || event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
      if (isTyping(event.target)) return;
      if (within && !(event.target instanceof Node && within.current?.contains(event.target))) return;
      const act = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined;
      if (!act) return;
      event.preventDefault();
      act();
    }
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [active, within]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;
}
