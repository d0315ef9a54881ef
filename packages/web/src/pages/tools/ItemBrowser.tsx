import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowLeft } from 'lucide-react';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { Server } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Card } from '../../components/Card.tsx';
import { classNames } from '../../components/class-names.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Input, Select } from '../../components/fields.tsx';
import { safeText } from '../../components/safe-text.ts';
import { formatNumber } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';

const itemBrowserTexts = {
  resource: {
    all: 'All resources',
    list: 'Resources',
    noneSelected: 'No resource selected',
    select: 'Select a resource to see its content.',
    search: 'Search resources',
    placeholder: 'Search resources …',
    count: (count: number) => plural(count, 'resource'),
    countOf: (found: number, count: number) => `${formatNumber(found)} of ${plural(count, 'resource')}`,
  },
  prompt: {
    all: 'All prompts',
    list: 'Prompts',
    noneSelected: 'No prompt selected',
    select: 'Select a prompt to see its content.',
    search: 'Search prompts',
    placeholder: 'Search prompts …',
    count: (count: number) => plural(count, 'prompt'),
    countOf: (found: number, count: number) => `${formatNumber(found)} of ${plural(count, 'prompt')}`,
  },
  skill: {
    all: 'All skills',
    list: 'Skills',
    noneSelected: 'No skill selected',
    select: 'Select a skill to see its files.',
    search: 'Search skills',
    placeholder: 'Search skills …',
    count: (count: number) => plural(count, 'skill'),
    countOf: (found: number, count: number) => `${formatNumber(found)} of ${plural(count, 'skill')}`,
  },
};

export interface BrowserItem {
  /** Unique in the list. */
  readonly key: string;
  readonly title: string;
  readonly detail: string;
  readonly badge?: string | undefined;
}

interface ItemListProps {
  readonly noun: 'resource' | 'prompt' | 'skill';
  readonly servers: readonly string[];
  /** The name of a server for people; its own by default. */
  readonly nameOf?: (server: string) => string;
  readonly server: string;
  readonly onServerChange: (server: string) => void;
  readonly items: readonly BrowserItem[];
  /** The key of the selected item. */
  readonly selected: string | undefined;
  readonly onOpen: (key: string) => void;
  readonly className?: string;
}

export interface ItemBrowserProps extends Omit<ItemListProps, 'className'> {
  /** The address of the list without a selected item. */
  readonly listAddress: string;
  /** The selected item. */
  readonly children: ReactNode;
}

/** The resources, prompts or skills of a server beside the selected one. A narrow screen shows one or the other. */
export function ItemBrowser({ listAddress, children, ...list }: ItemBrowserProps) {
  const hasSelection = list.selected !== undefined;
  return (
    <div className="grid min-w-0 gap-4 lg:grid-cols-[21rem_minmax(0,1fr)]">
      <ItemList
        {...list}
        className={classNames(
          'h-[calc(100dvh-13rem)] min-h-96 lg:sticky lg:top-4 lg:h-[calc(100dvh-10rem)]',
          hasSelection && 'hidden! lg:flex!',
        )}
      />
      {hasSelection ? (
        <Card className="flex min-w-0 flex-col gap-4 self-start p-4">
          <Link href={listAddress} className="inline-flex items-center gap-1 text-accent-strong lg:hidden">
            <ArrowLeft aria-hidden className="size-4" />
            {itemBrowserTexts[list.noun].all}
          </Link>
          {children}
        </Card>
      ) : (
        <div className="hidden rounded-lg border border-dashed border-line lg:block">
          <EmptyState title={itemBrowserTexts[list.noun].noneSelected}>{itemBrowserTexts[list.noun].select}</EmptyState>
        </div>
      )}
    </div>
  );
}

function ItemList(props: ItemListProps) {
  const { noun, servers, nameOf = (name) => name, server, onServerChange, items, selected, onOpen, className } = props;
  const [words, setText] = useState('');
  const found = useMemo(() => {
    const sought = words.trim().toLowerCase();
    return items.filter(({ title, detail }) => `${title}\n${detail}`.toLowerCase().includes(sought));
  }, [items, words]);
  const scrollBox = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: found.length,
    getScrollElement: () => scrollBox.current,
    estimateSize: () => 52,
    overscan: 10,
  });
  return (
    <div className={classNames('flex min-h-0 flex-col gap-2', className)}>
      <Select aria-label="Server" value={server} onChange={(event) => onServerChange(event.target.value)}>
        {servers.map((name) => (
          <option key={name} value={name}>
            {safeText(nameOf(name), 100)}
          </option>
        ))}
      </Select>
      <Input
        type="search"
        aria-label={itemBrowserTexts[noun].search}
        placeholder={itemBrowserTexts[noun].placeholder}
        value={words}
        onChange={(event) => setText(event.target.value)}
      />
      <p role="status" className="text-xs text-ink-faint tabular-nums">
        {found.length < items.length
          ? itemBrowserTexts[noun].countOf(found.length, items.length)
          : itemBrowserTexts[noun].count(items.length)}
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs */}
      <div
        ref={scrollBox}
        role="group"
        aria-label={itemBrowserTexts[noun].list}
        className="min-h-0 flex-1 overflow-y-auto rounded-lg border border-line bg-surface"
      >
        <div style={{ height: virtual.getTotalSize() }} className="relative">
          {virtual.getVirtualItems().map(({ index, start }) => {
            const item = found[index];
            return (
              item && (
                <button
                  key={item.key}
                  type="button"
                  aria-current={item.key === selected}
                  onClick={() => onOpen(item.key)}
                  style={{ transform: `translateY(${start}px)` }}
                  className={classNames(
                    'absolute top-0 left-0 flex h-13 w-full flex-col justify-center gap-0.5 border-l-2 px-3 text-left -outline-offset-2',
                    item.key === selected ? 'border-accent bg-accent-soft' : 'border-transparent hover:bg-sunken',
                  )}
                >
                  <span className="flex w-full min-w-0 items-center gap-1.5">
                    <span className="min-w-0 flex-1 truncate font-medium">{safeText(item.title, 120)}</span>
                    {item.badge !== undefined && <Badge>{item.badge}</Badge>}
                  </span>
                  <span className="w-full truncate text-xs text-ink-soft">{safeText(item.detail, 200)}</span>
                </button>
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** The names of the servers that offer content of these kinds; undefined while loading. */
export function useServersOffering(kinds: readonly (keyof Server['offers'])[]): readonly string[] | undefined {
  const servers = useQuery(queries.servers()).data;
  return servers?.filter(({ offers }) => kinds.some((kind) => (offers[kind]?.count ?? 0) > 0)).map(({ name }) => name);
}
