import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { installBackGuard } from './back-guard.ts';

export interface LeaveGuard {
  /** Whether the person wants to leave and must confirm. */
  readonly needsConfirmation: boolean;
  readonly stay: () => void;
  readonly leave: () => void;
}

/** Asks for confirmation before the page is left by a link, the history, a reload or closing the tab. */
export function useLeaveGuard(active: boolean): LeaveGuard {
  const [, navigate] = useLocation();
  const [target, setTarget] = useState<string>();

  useEffect(() => {
    if (!active) return undefined;
    const here = location.pathname + location.search;
    const controller = new AbortController();
    const { signal } = controller;

    function onClick(event: MouseEvent): void {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      if (!link || !staysInTab(event, link) || link.pathname === location.pathname) return;
      event.preventDefault();
      event.stopPropagation();
      setTarget(link.pathname + link.search);
    }

    function onBack(): boolean {
      const there = location.pathname + location.search;
      if (there === here) return false;
      setTarget(there);
      // The browser has already navigated: restore the address.
      history.pushState(null, '', here);
      return true;
    }

    document.addEventListener('click', onClick, { capture: true, signal });
    addEventListener('beforeunload', (event) => event.preventDefault(), { signal });
    const openGate = installBackGuard(onBack);
    return () => {
      controller.abort();
      openGate();
    };
  }, [active]);

  return {
    needsConfirmation: target !== undefined,
    stay: () => setTarget(undefined),
    leave() {
      if (target !== undefined) navigate(target);
    },
  };
}

function staysInTab(event: MouseEvent, link: HTMLAnchorElement): boolean {
  const opensElsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  return !opensElsewhere && link.target !== '_blank' && link.origin === location.origin;
}
