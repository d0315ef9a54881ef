import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';

export interface VirtualRowsProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  /** In pixels; every row has it. */
  readonly rowHeight: number;
  readonly keyOf: (item: Item) => string;
  readonly render: (item: Item) => ReactNode;
}

/** A list that scrolls when it is long, and builds only what is in sight. */
export function VirtualRows<Item>({ label, items, rowHeight, keyOf, render }: VirtualRowsProps<Item>) {
  const place = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => place.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    getItemKey: (at) => {
      const item = items[at];
      return item === undefined ? at : keyOf(item);
    },
  });
  return (
    <div ref={place} className="max-h-96 overflow-y-auto">
      <ul aria-label={label} className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ key, index, start }) => {
          const item = items[index];
          return (
            <li
              key={key}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              className="absolute inset-x-0"
              style={{ top: start, height: rowHeight }}
            >
              {item !== undefined && render(item)}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
