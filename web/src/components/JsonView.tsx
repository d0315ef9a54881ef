import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react';
import { CopyButton } from './CopyButton.tsx';
import { JsonLine } from './JsonLine.tsx';
import { type JsonRow, openWithin, pageSize, toJsonRows } from './json-rows.ts';

export interface JsonViewProps {
  readonly value: unknown;
  /** The noun for screen readers and the copy button: "arguments". */
  readonly what?: string;
  /** A CSS length. */
  readonly maxHeight?: string;
}

/** A JSON value as a tree, operated by mouse or arrow keys. Only visible lines are rendered, however large the value is. */
export function JsonView({ value, what = 'JSON', maxHeight = '24rem' }: JsonViewProps) {
  const [open, setOpen] = useState(() => openWithin(value, 40));
  const [shown, setShown] = useState<ReadonlyMap<string, number>>(new Map());
  const [active, setActive] = useState(0);
  const rows = useMemo(() => toJsonRows(value, { open, shown }), [value, open, shown]);
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 22,
    overscan: 20,
    getItemKey: (at) => rows[at]?.path ?? at,
  });

  function toggle(row: JsonRow): void {
    if (row.kind === 'more') {
      const parent = row.path.slice(0, row.path.lastIndexOf('/'));
      setShown((before) => new Map(before).set(parent, (before.get(parent) ?? pageSize) + pageSize * 5));
    } else if (canOpen(row)) {
      setOpen((before) => toggled(before, row.path));
    }
  }

  function goTo(at: number): void {
    const next = Math.max(0, Math.min(rows.length - 1, at));
    setActive(next);
    virtual.scrollToIndex(next, { align: 'auto' });
  }

  function onKeyDown(event: KeyboardEvent): void {
    const row = rows[active];
    if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
    const parent = rows.findLastIndex(({ level }, at) => at < active && level < row.level);
    const isOpen = row.kind !== 'more' && row.open;
    const actions: Record<string, () => void> = {
      ArrowDown: () => goTo(active + 1),
      ArrowUp: () => goTo(active - 1),
      ArrowRight: () => (isOpen ? goTo(active + 1) : toggle(row)),
      ArrowLeft: () => (isOpen && canOpen(row) ? toggle(row) : parent >= 0 && goTo(parent)),
      Home: () => goTo(0),
      End: () => goTo(rows.length - 1),
      Enter: () => toggle(row),
      ' ': () => toggle(row),
    };
    const act = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
    if (!act) return;
    event.preventDefault();
    act();
  }

  return (
    <div className="relative min-w-0 rounded-md border border-line bg-sunken">
      <div
        ref={scroller}
        role="tree"
        aria-label={what}
        aria-activedescendant={`${id}-${Math.min(active, rows.length - 1)}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
        className="group/tree overflow-auto rounded-md py-1.5 pr-10 font-mono text-xs leading-relaxed"
        style={{ maxHeight }}
      >
        <div role="presentation" className="relative w-full" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, key, start }) => {
            const row = rows[index];
            return (
              row && (
                <JsonLine
                  key={key}
                  ref={virtual.measureElement}
                  id={`${id}-${index}`}
                  index={index}
                  row={row}
                  start={start}
                  active={index === active}
                  onToggle={() => {
                    setActive(index);
                    toggle(row);
                  }}
                />
              )
            );
          })}
        </div>
      </div>
      <div className="absolute top-1 right-1 rounded bg-sunken">
        <CopyButton text={() => JSON.stringify(value, null, 2) ?? ''} what={what} />
      </div>
    </div>
  );
}

function toggled(open: ReadonlySet<string>, path: string): ReadonlySet<string> {
  const next = new Set(open);
  if (!next.delete(path)) next.add(path);
  return next;
}

function canOpen(row: JsonRow): boolean {
  return row.kind === 'branch' ? row.size > 0 : row.kind === 'leaf' && row.long;
}
