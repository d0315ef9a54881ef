import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowLeft } from 'lucide-react';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { Server } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { ButtonLink } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { classNames } from '../../components/class-names.ts';
import { EmptyState, type EmptyStateProps } from '../../components/EmptyState.tsx';
import { SearchInput, Select } from '../../components/fields.tsx';
import { safeText } from '../../components/safe-text.ts';
import { capitalize } from '../../text/capitalize.ts';
import { formatNumber } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';

export interface BrowserItem {
  /** Unique in the list. */
  readonly key: string;
  readonly title: string;
  readonly detail: string;
  readonly badge?: string | undefined;
}

/** What is listed: the address names the server and the selected item. */
type Noun = 'resource' | 'prompt' | 'skill';

/** The server of the list, and the key of the selected item. */
export function useBrowsed(noun: Noun, servers: readonly string[]) {
  const [search] = useSearchParams();
  const server = servers.find((name) => name === search.get('server')) ?? servers[0] ?? '';
  return { server, selected: search.get(noun) ?? undefined };
}

export interface ItemBrowserProps {
  readonly noun: Noun;
  readonly servers: readonly string[];
  /** The name of a server for people; its own by default. */
  readonly nameOf?: (server: string) => string;
  readonly items: readonly BrowserItem[];
  /** The selected item. */
  readonly children: ReactNode;
}

/** The resources, prompts or skills of a server beside the selected one. A narrow screen shows one or the other. */
export function ItemBrowser({ children, ...list }: ItemBrowserProps) {
  const { server, selected } = useBrowsed(list.noun, list.servers);
  const hasSelection = selected !== undefined;
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
          <Link
            href={`/tools?show=${list.noun}s&server=${encodeURIComponent(server)}`}
            className="inline-flex items-center gap-1 text-accent-strong lg:hidden"
          >
            <ArrowLeft aria-hidden className="size-4" />
            {`All ${list.noun}s`}
          </Link>
          {children}
        </Card>
      ) : (
        <div className="hidden rounded-lg border border-dashed border-line lg:block">
          <EmptyState title={`No ${list.noun} selected`}>{`Select a ${list.noun} to see its content.`}</EmptyState>
        </div>
      )}
    </div>
  );
}

interface ItemListProps extends Omit<ItemBrowserProps, 'children'> {
  readonly className: string;
}

function ItemList({ noun, servers, nameOf = (name) => name, items, className }: ItemListProps) {
  const { server, selected } = useBrowsed(noun, servers);
  const [, setSearch] = useSearchParams();
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
      <Select
        aria-label="Server"
        value={server}
        onChange={(event) => setSearch({ show: `${noun}s`, server: event.target.value })}
      >
        {servers.map((name) => (
          <option key={name} value={name}>
            {safeText(nameOf(name), 100)}
          </option>
        ))}
      </Select>
      <SearchInput label={`Search ${noun}s`} value={words} onChange={setText} />
      <p role="status" className="text-xs text-ink-faint tabular-nums">
        {`${found.length < items.length ? `${formatNumber(found.length)} of ` : ''}${plural(items.length, noun)}`}
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs */}
      <div
        ref={scrollBox}
        role="group"
        aria-label={`${capitalize(noun)}s`}
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
                  onClick={() => setSearch({ show: `${noun}s`, server, [noun]: item.key })}
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

interface NothingOfferedProps extends Pick<EmptyStateProps, 'icon' | 'children'> {
  readonly noun: Noun;
}

/** The tab where no server has what it lists. */
export function NothingOffered({ noun, ...props }: NothingOfferedProps) {
  return (
    <EmptyState {...props} title={`No ${noun}s`} actions={<ButtonLink href="/servers">Show the servers</ButtonLink>} />
  );
}
