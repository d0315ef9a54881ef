import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';

export interface WindowListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string | number;
  /** The approximate height of an item in pixels. */
  readonly estimate: number;
  /** Whether the list continues after its items. */
  readonly hasMore?: boolean;
  /** Called when the person scrolls near the end. */
  readonly onNearEnd?: () => unknown;
  readonly children: (item: Item) => ReactNode;
}

/** A virtualized list that scrolls with the page. */
export function WindowList<Item>(props: WindowListProps<Item>) {
  const { label, items, keyOf, estimate, hasMore = false, onNearEnd, children } = props;
  const list = useRef<HTMLUListElement>(null);
  const [margin, setMargin] = useState(0);
  // Content above the list can change its height on every render.
  useLayoutEffect(() => {
    if (list.current) setMargin(Math.round(list.current.getBoundingClientRect().top + scrollY));
  });
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => estimate,
    overscan: 15,
    scrollMargin: margin,
    getItemKey(index) {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
  });
  const shown = rows.getVirtualItems();
  const isNearEnd = (shown.at(-1)?.index ?? 0) >= items.length - 20;
  useEffect(() => {
    if (isNearEnd) onNearEnd?.();
  }, [isNearEnd, onNearEnd]);
  return (
    <ul ref={list} aria-label={label} className="relative" style={{ height: rows.getTotalSize() }}>
      {shown.map(({ index, key, start }) => {
        const item = items[index];
        if (item === undefined) return null;
        return (
          <li
            key={key}
            ref={rows.measureElement}
            data-index={index}
            aria-posinset={index + 1}
            aria-setsize={hasMore ? -1 : items.length}
            className="absolute inset-x-0 top-0 border-b border-line"
            style={{ transform: `translateY(${start - margin}px)` }}
          >
            {children(item)}
          </li>
        );
      })}
    </ul>
  );
}
