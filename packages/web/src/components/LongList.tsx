import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';

export interface LongListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  readonly children: (item: Item) => ReactNode;
  /** The approximate height of an item in pixels. */
  readonly estimate?: number;
}

const maxUnvirtualized = 100;

/** A list that is virtualized above 100 items. */
export function LongList<Item>(props: LongListProps<Item>) {
  if (props.items.length > maxUnvirtualized) return <VirtualList {...props} />;
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls
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
