import { useVirtualizer } from '@tanstack/react-virtual';
import { TriangleAlert } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import type { Tool } from '../../api/client.ts';
import { Badge } from '../../components/Badge.tsx';
import { classNames } from '../../components/class-names.ts';
import { isSuspicious } from '../../components/DefinitionWarnings.tsx';
import { safeText } from '../../components/safe-text.ts';
import { isOfKind } from './tool-search.ts';

export interface ToolListProps {
  readonly id: string;
  readonly tools: readonly Tool[];
  /** Whether each server has a heading. */
  readonly grouped: boolean;
  /** The name of the open tool. */
  readonly selected: string | undefined;
  /** The index of the tool that the arrow keys have reached. */
  readonly active: number;
  readonly onOpen: (tool: Tool) => void;
}

type Row =
  | { readonly kind: 'server'; readonly server: string; readonly count: number }
  | { readonly kind: 'tool'; readonly tool: Tool; readonly at: number };

const heights = { server: 32, tool: 52 };

/** The element id of an option, for `aria-activedescendant`. */
export function optionId(list: string, at: number): string {
  return `${list}-${at}`;
}

/** The virtualized list of tools. */
export function ToolList({ id, tools, grouped, selected, active, onOpen }: ToolListProps) {
  const rows = useMemo(() => toRows(tools, grouped), [tools, grouped]);
  const scrollBox = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scrollBox.current,
    estimateSize: (at) => heights[rows[at]?.kind ?? 'tool'],
    overscan: 10,
  });
  const { scrollToIndex } = virtual;
  useEffect(() => {
    const at = rows.findIndex((row) => row.kind === 'tool' && row.at === active);
    if (at >= 0) scrollToIndex(at, { align: 'auto' });
  }, [rows, active, scrollToIndex]);

  return (
    <div
      ref={scrollBox}
      id={id}
      role="listbox"
      aria-label="Tools"
      tabIndex={0}
      aria-activedescendant={tools.length > 0 ? optionId(id, active) : undefined}
      className="min-h-0 flex-1 overflow-y-auto rounded-lg border border-line bg-surface"
    >
      <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          if (!row) return null;
          const style = { transform: `translateY(${start}px)`, height: heights[row.kind] };
          if (row.kind === 'server') {
            return (
              <div
                key={`server ${row.server}`}
                role="presentation"
                style={style}
                className="absolute top-0 left-0 flex w-full items-end justify-between gap-2 border-b border-line px-3 pb-1 text-xs text-ink-faint"
              >
                <span className="truncate font-medium">{safeText(row.server, 100)}</span>
                <span className="tabular-nums">{row.count}</span>
              </div>
            );
          }
          return (
            <ToolOption
              key={row.tool.name}
              id={optionId(id, row.at)}
              tool={row.tool}
              style={style}
              grouped={grouped}
              selected={row.tool.name === selected}
              active={row.at === active}
              onOpen={onOpen}
            />
          );
        })}
      </div>
    </div>
  );
}

interface ToolOptionProps extends Pick<ToolListProps, 'grouped' | 'onOpen'> {
  readonly id: string;
  readonly tool: Tool;
  readonly style: { readonly transform: string; readonly height: number };
  readonly selected: boolean;
  readonly active: boolean;
}

function ToolOption({ id, tool, style, grouped, selected, active, onOpen }: ToolOptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the search field and the list handle the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays on the search field or the list
    <div
      id={id}
      role="option"
      aria-selected={selected}
      style={style}
      onClick={() => onOpen(tool)}
      className={classNames(
        'absolute top-0 left-0 flex w-full cursor-pointer flex-col justify-center gap-0.5 border-l-2 px-3',
        selected ? 'border-accent bg-accent-soft' : 'border-transparent hover:bg-sunken',
        active && !selected && 'group-focus-within/browser:border-line-strong group-focus-within/browser:bg-sunken',
      )}
    >
      <span className="flex min-w-0 items-center gap-1.5">
        <span className={classNames('min-w-0 flex-1 truncate font-medium', tool.disabled && 'text-ink-faint')}>
          {safeText(tool.override?.name ?? tool.originalName, 120)}
        </span>
        <ToolBadges tool={tool} />
      </span>
      <span className={classNames('truncate text-xs', selected ? 'text-ink-soft' : 'text-ink-faint')}>
        {!grouped && tool.server !== undefined && `${safeText(tool.server, 60)} · `}
        {firstLine(tool)}
      </span>
    </div>
  );
}

function firstLine({ title, description }: Tool): string {
  const [line = ''] = (title ?? description).slice(0, 300).trim().split('\n');
  return safeText(line === '' ? 'No description' : line, 200);
}

function toRows(tools: readonly Tool[], grouped: boolean): Row[] {
  if (!grouped) return tools.map((tool, at) => ({ kind: 'tool', tool, at }));
  const counts = new Map<string, number>();
  for (const tool of tools) counts.set(serverLabel(tool), (counts.get(serverLabel(tool)) ?? 0) + 1);
  let previous: string | undefined;
  return tools.flatMap((tool, at) => {
    const server = serverLabel(tool);
    const row: Row = { kind: 'tool', tool, at };
    if (server === previous) return [row];
    previous = server;
    return [{ kind: 'server', server, count: counts.get(server) ?? 0 } as const, row];
  });
}

function serverLabel({ server }: Tool): string {
  return server ?? 'Local tools';
}

/** The badges of a tool in a list: changed, suspicious, read-only, destructive. */
function ToolBadges({ tool }: { readonly tool: Tool }) {
  return (
    <>
      {tool.disabled && <Badge>off</Badge>}
      {(tool.changed !== undefined || tool.isNew) && (
        <Badge tone="warn">
          <TriangleAlert aria-hidden />
          {tool.isNew ? 'new' : 'changed'}
        </Badge>
      )}
      {isSuspicious(tool.warnings) && (
        <Badge tone="bad">
          <TriangleAlert aria-hidden />
          suspicious
        </Badge>
      )}
      {isOfKind(tool, 'read-only') && <Badge>read-only</Badge>}
      {isOfKind(tool, 'destructive') && <Badge tone="bad">destructive</Badge>}
    </>
  );
}
