import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';

export interface LongListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  readonly children: (item: Item) => ReactNode;
  /** How high one is, about; in pixels. */
  readonly estimate?: number;
}

const plainLimit = 100;

/** A list that may have thousands of entries: from a hundred on, only those in sight are on the page. */
export function LongList<Item>(props: LongListProps<Item>) {
  if (props.items.length > plainLimit) return <VirtualList {...props} />;
  const { label, items, keyOf, children } = props;
  return (
    <ul aria-label={label} className="divide-y divide-line">
      {items.map((item) => (
        <li key={keyOf(item)}>{children(item)}</li>
      ))}
    </ul>
  );
}

function VirtualList<Item>({ label, items, keyOf, children, estimate = 56 }: LongListProps<Item>) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimate,
    overscan: 8,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <section ref={scroller} aria-label={label} tabIndex={0} className="max-h-[60vh] overflow-y-auto">
      <ul aria-label={label} className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start, key }) => {
          const item = items[index];
          if (item === undefined) return null;
          return (
            <li
              key={`${key} ${keyOf(item)}`}
              ref={rows.measureElement}
              data-index={index}
              aria-posinset={index + 1}
              aria-setsize={items.length}
              className="absolute inset-x-0 top-0 border-b border-line"
              style={{ transform: `translateY(${start}px)` }}
            >
              {children(item)}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
