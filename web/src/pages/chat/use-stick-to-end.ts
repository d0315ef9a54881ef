import { type RefObject, useEffect, useRef, useState } from 'react';

// Closer than this counts as the end.
const nearPx = 60;

export interface StickToEnd {
  readonly container: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly atEnd: boolean;
  scrollToEnd(): void;
}

/** Keeps a growing container scrolled to its end, unless the person scrolls up. */
export function useStickToEnd(): StickToEnd {
  const container = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const [atEnd, setAtEnd] = useState(true);

  useEffect(() => {
    const box = container.current;
    const inner = content.current;
    if (!box || !inner) return undefined;
    let lastTop = box.scrollTop;
    const onScroll = () => {
      const near = box.scrollHeight - box.scrollTop - box.clientHeight < nearPx;
      // Only scrolling up counts as leaving: growing content does not.
      if (near) follows.current = true;
      else if (box.scrollTop < lastTop) follows.current = false;
      lastTop = box.scrollTop;
      setAtEnd(near || follows.current);
    };
    const follow = () => {
      if (follows.current) box.scrollTop = box.scrollHeight;
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
    container,
    content,
    atEnd,
    scrollToEnd() {
      follows.current = true;
      if (container.current) container.current.scrollTop = container.current.scrollHeight;
      setAtEnd(true);
    },
  };
}
