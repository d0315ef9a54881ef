import { type RefObject, useEffect, useRef, useState } from 'react';

// Closer than this counts as being at the end.
const nearPx = 60;

export interface StickToEnd {
  readonly place: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly atEnd: boolean;
  toEnd(): void;
}

/** Keeps the end of what grows in sight, unless the person scrolled away from it. */
export function useStickToEnd(): StickToEnd {
  const place = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const sticks = useRef(true);
  const [atEnd, setAtEnd] = useState(true);

  useEffect(() => {
    const box = place.current;
    const inner = content.current;
    if (!box || !inner) return undefined;
    let lastTop = box.scrollTop;
    const onScroll = () => {
      const near = box.scrollHeight - box.scrollTop - box.clientHeight < nearPx;
      // Only going up is leaving: what grows below moves nobody away.
      if (near) sticks.current = true;
      else if (box.scrollTop < lastTop) sticks.current = false;
      lastTop = box.scrollTop;
      setAtEnd(near || sticks.current);
    };
    const follow = () => {
      if (sticks.current) box.scrollTop = box.scrollHeight;
    };
    const observer = new ResizeObserver(follow);
    observer.observe(inner);
    observer.observe(box);
    follow();
    box.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener('scroll', onScroll);
    };
  }, []);

  return {
    place,
    content,
    atEnd,
    toEnd() {
      sticks.current = true;
      if (place.current) place.current.scrollTop = place.current.scrollHeight;
      setAtEnd(true);
    },
  };
}
