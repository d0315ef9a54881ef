import { ChevronDown, ChevronRight } from 'lucide-react';
import type { Ref } from 'react';
import { classNames } from './class-names.ts';
import { type JsonRow, longText } from './json-rows.ts';
import { safeText } from './safe-text.ts';

export interface JsonLineProps {
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
export function JsonLine({ ref, id, index, row, start, active, onToggle }: JsonLineProps) {
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
        (opens || row.kind === 'more') && 'cursor-pointer hover:bg-line/50',
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
  if (row.kind === 'more') return <span className="text-accent-strong">Show more ({row.left} left)</span>;
  if (row.kind === 'branch') {
    const [first, last] = row.isArray ? '[]' : '{}';
    return (
      <span className="text-ink-faint">{row.size === 0 ? `${first}${last}` : `${first} ${row.size} ${last}`}</span>
    );
  }
  const { value, long, open } = row;
  if (typeof value !== 'string') {
    const colour = typeof value === 'number' ? 'text-info' : 'text-warn';
    return <span className={colour}>{String(value)}</span>;
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
