import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, type Ref, useId, useMemo, useRef, useState } from 'react';
import { isRawNumber } from '../../../contract/exact-json.ts';
import { formatNumber } from '../text/formats.ts';
import { CopyButton } from './CopyButton.tsx';
import { classNames } from './class-names.ts';
import { type JsonRow, longText, openWithin, pageSize, toJsonRows } from './json-rows.ts';
import { safeText } from './safe-text.ts';

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
        translate="no"
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

interface JsonLineProps {
  readonly ref: Ref<HTMLDivElement>;
  readonly id: string;
  readonly index: number;
  readonly row: JsonRow;
  /** Pixels from the top of the tree. */
  readonly start: number;
  readonly active: boolean;
  readonly onToggle: () => void;
}

// Deeper lines are not indented further, so that they stay on the page.
const maxIndent = 16;

/** One line of a JSON tree. */
function JsonLine({ ref, id, index, row, start, active, onToggle }: JsonLineProps) {
  const opens = row.kind === 'branch' ? row.size > 0 : row.kind === 'leaf' && row.long;
  const isOpen = row.kind !== 'more' && row.open;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays on the tree
    <div
      ref={ref}
      id={id}
      data-index={index}
      role="treeitem"
      aria-level={row.level}
      aria-selected={active}
      aria-expanded={opens ? isOpen : undefined}
      onClick={onToggle}
      className={classNames(
        'absolute top-0 left-0 flex w-full items-start gap-1 px-1',
        (opens || row.kind === 'more') && 'cursor-pointer hover:bg-line/30',
        active && 'group-focus-visible/tree:bg-accent-soft',
      )}
      style={{
        transform: `translateY(${start}px)`,
        paddingLeft: `${0.25 + 0.875 * Math.min(row.level - 1, maxIndent)}rem`,
      }}
    >
      <span aria-hidden className="mt-0.5 size-3.5 shrink-0 text-ink-faint [&_svg]:size-3.5">
        {opens && (isOpen ? <ChevronDown /> : <ChevronRight />)}
      </span>
      <span className="min-w-0 flex-1 break-words whitespace-pre-wrap">
        {row.name !== undefined && (
          <span className="text-ink-soft">{typeof row.name === 'number' ? row.name : safeText(row.name, 200)}: </span>
        )}
        <Value row={row} />
      </span>
    </div>
  );
}

function Value({ row }: { readonly row: JsonRow }) {
  if (row.kind === 'more')
    return <span className="text-accent-strong">{`Show more (${formatNumber(row.left)} left)`}</span>;
  if (row.kind === 'branch') {
    const [first, last] = row.isArray ? '[]' : '{}';
    return (
      <span className="text-ink-faint">{row.size === 0 ? `${first}${last}` : `${first} ${row.size} ${last}`}</span>
    );
  }
  const { value, long, open } = row;
  if (typeof value !== 'string') {
    const colour = typeof value === 'number' || isRawNumber(value) ? 'text-info' : 'text-warn';
    return <span className={colour}>{JSON.stringify(value) ?? String(value)}</span>;
  }
  if (open) return <span className="text-good">{safeText(value)}</span>;
  const beginning = value.slice(0, longText).replaceAll('\n', '⏎');
  return (
    <span className="text-good">
      "{safeText(beginning)}
      {long && value.length > longText ? '…' : ''}"
    </span>
  );
}
