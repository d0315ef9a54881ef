import { useEffect, useState } from 'react';

/** Long enough that a key or click meant for what was there before is over. */
const settleMs = 500;

/** False for the first moment that something is there: what a person was about to press was meant for something else. */
export function useArmed(): boolean {
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), settleMs);
    return () => clearTimeout(timer);
  }, []);
  return armed;
}
