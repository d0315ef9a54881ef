import { PackageSearch } from 'lucide-react';
import type { RefObject } from 'react';
import type { RegistryServer } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { classNames } from '../../components/class-names.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Field, Input } from '../../components/fields.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useDebounced } from '../../components/use-debounced.ts';
import { plural } from '../../text/plural.ts';
import { RegistryFacts } from './RegistryFacts.tsx';
import { mergePages, useRegistrySearch } from './use-registry-search.ts';

export interface RegistrySearchProps {
  readonly text: string;
  readonly field: RefObject<HTMLInputElement | null>;
  /** The server whose button is focused next, once. */
  readonly focusOn: RefObject<string | undefined>;
  readonly onTextChange: (text: string) => void;
  readonly onSelect: (server: RegistryServer) => void;
}

const debounceMs = 300;
const maxShown = 600;

/** Searches the registry by name. */
export function RegistrySearch({ text: content, field, focusOn, onTextChange, onSelect }: RegistrySearchProps) {
  const sought = useDebounced(content.trim(), debounceMs);
  const search = useRegistrySearch(sought);
  const { data, hasNextPage } = search;
  const servers = search.servers.slice(0, maxShown);
  const isTruncated = search.servers.length >= maxShown && (hasNextPage || search.servers.length > maxShown);
  const registry = data?.pages[0]?.registry;
  const isSearching = search.isPlaceholderData || sought !== content.trim();

  async function loadMore(): Promise<void> {
    const { data: loaded } = await search.fetchNextPage();
    // Focus the first new server, unless the person is typing.
    if (document.activeElement === field.current) return;
    focusOn.current = mergePages(loaded?.pages ?? [])[servers.length]?.name;
  }

  return (
    <div className="flex flex-col gap-4">
      <p className="text-ink-soft">
        {registry === undefined ? (
          'Servers published in the registry. The descriptions come from the publishers. Check the source before you add a server.'
        ) : (
          <>
            Servers published at <code>{safeText(registry, 300)}</code>. The descriptions come from the publishers.
            Check the source before you add a server.
          </>
        )}
      </p>
      <Field label="Search" hint="Part of the name. Leave empty to list all servers.">
        {(props) => (
          <Input
            {...props}
            ref={field}
            type="search"
            maxLength={200}
            spellCheck={false}
            autoComplete="off"
            value={content}
            onChange={(event) => {
              focusOn.current = undefined;
              onTextChange(event.target.value);
            }}
          />
        )}
      </Field>
      {search.isPending && <Spinner label="Searching the registry …" />}
      {data && (
        <p
          role="status"
          className={classNames('text-xs text-ink-soft', servers.length === 0 && !isSearching && 'sr-only')}
        >
          {isSearching ? 'Searching …' : describeFound(servers.length, hasNextPage || isTruncated)}
        </p>
      )}
      {data && servers.length === 0 && !hasNextPage && !isSearching && (
        <EmptyState icon={PackageSearch} title="No servers found">
          {sought === '' ? 'This registry has no servers.' : 'Try another word or a part of one.'}
        </EmptyState>
      )}
      {servers.length > 0 && (
        <div aria-busy={isSearching} className="rounded-lg border border-line px-3">
          <ul aria-label="Servers found" className="divide-y divide-line">
            {servers.map((server) => (
              <li key={server.name}>
                <RegistryRow server={server} focusOn={focusOn} onSelect={() => onSelect(server)} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {search.isError && (
        <>
          <ErrorNotice
            title={data ? 'Could not load more servers' : 'Could not search the registry'}
            error={search.error}
            onRetry={() => void (search.isFetchNextPageError ? loadMore() : search.refetch())}
          />
          <p className="text-xs text-ink-faint">
            The gateway queries the registry. Set its URL with <code>registry</code> under <code>gateway</code> in the
            configuration.
          </p>
        </>
      )}
      {isTruncated && (
        <p className="text-center text-ink-soft">Not all servers are listed. Search for a part of the name.</p>
      )}
      {hasNextPage && !isTruncated && !search.isError && (
        <div className="flex justify-center">
          <Button busy={search.isFetchingNextPage} disabled={isSearching} onClick={() => void loadMore()}>
            Load more
          </Button>
        </div>
      )}
    </div>
  );
}

function describeFound(count: number, hasMore: boolean): string {
  return hasMore ? `The first ${plural(count, 'server')}. There are more.` : `${plural(count, 'server')}.`;
}

interface RegistryRowProps {
  readonly server: RegistryServer;
  /** The server whose button is focused next, once. */
  readonly focusOn: RefObject<string | undefined>;
  readonly onSelect: () => void;
}

function RegistryRow({ server, focusOn, onSelect }: RegistryRowProps) {
  const { name, title } = server;

  function takeFocus(button: HTMLButtonElement | null): void {
    if (!button || focusOn.current !== name) return;
    focusOn.current = undefined;
    button.focus();
  }

  return (
    <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-2 py-2.5">
      <div className="flex min-w-0 flex-1 basis-60 flex-col gap-1">
        <p className={classNames('font-semibold break-words', !title && 'font-mono')}>{safeText(title || name, 200)}</p>
        <RegistryFacts server={server} />
      </div>
      <Button ref={takeFocus} size="small" aria-label={`Select ${safeText(name, 200)}`} onClick={onSelect}>
        Select
      </Button>
    </div>
  );
}
