import { useEffect, useRef } from 'react';
import { useSearch } from 'wouter';
import type { Message } from '../../api/client.ts';

/** The message that the address names, such as a search result. Selects its branch if it is not the selected one. */
export function useTarget(
  messages: readonly Message[],
  select: ((message: string) => void) | undefined,
): string | undefined {
  const target = new URLSearchParams(useSearch()).get('message') ?? undefined;
  const selected = useRef<string>(undefined);
  const isShown = messages.some(({ id }) => id === target);
  useEffect(() => {
    if (target === undefined || selected.current === target || (!isShown && !select)) return;
    // Once only: the person may switch to another version afterwards.
    selected.current = target;
    if (!isShown) select?.(target);
  }, [target, isShown, select]);
  return target;
}
