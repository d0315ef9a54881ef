import { useEffect, useState } from 'react';
import type { ListedCall } from './merge-calls.ts';

/** How far down one is no longer looking at what is new. */
const away = 120;

/** Keeps new calls back while the person reads further down, so that nothing moves under their eyes. */
export function useHeldBack(calls: readonly ListedCall[]) {
  const [isAway, setAway] = useState(false);
  const [newest, setNewest] = useState<string>();
  const first = calls[0]?.createdAt;
  useEffect(() => {
    const look = () => setAway(scrollY > away);
    addEventListener('scroll', look, { passive: true });
    return () => removeEventListener('scroll', look);
  }, []);
  // What is on top when one goes down stays on top until one comes back.
  if (!isAway && newest !== undefined) setNewest(undefined);
  if (isAway && newest === undefined && first !== undefined) setNewest(first);

  const held = newest === undefined ? 0 : calls.filter(({ createdAt }) => createdAt > newest).length;
  return {
    shown: held === 0 ? calls : calls.slice(held),
    held,
    release() {
      setNewest(undefined);
      setAway(false);
      // After what was held back is there: until then the list keeps what is in sight where it is.
      requestAnimationFrame(() => scrollTo({ top: 0 }));
    },
  };
}
