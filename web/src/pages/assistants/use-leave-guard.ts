import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { closeBackGate } from '../../components/back-gate.ts';

export interface LeaveGuard {
  /** Somebody wants to go elsewhere and has to be asked. */
  readonly isAsking: boolean;
  readonly stay: () => void;
  readonly leave: () => void;
}

/** Holds whoever would lose something by going elsewhere: by a link, back and forward, a reload or by closing the page. */
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
      // The browser has gone already: come back before anybody looks at the address.
      history.pushState(null, '', here);
      return true;
    }

    document.addEventListener('click', onClick, { capture: true, signal });
    addEventListener('beforeunload', (event) => event.preventDefault(), { signal });
    const openGate = closeBackGate(onBack);
    return () => {
      controller.abort();
      openGate();
    };
  }, [active]);

  return {
    isAsking: target !== undefined,
    stay: () => setTarget(undefined),
    leave() {
      if (target !== undefined) navigate(target);
    },
  };
}

function staysInTab(event: MouseEvent, link: HTMLAnchorElement): boolean {
  const wantsOther = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  return !wantsOther && link.target !== '_blank' && link.origin === location.origin;
}
