import { PackageSearch } from 'lucide-react';
import type { RefObject } from 'react';
import type { RegistryServer } from '../../../api/client.ts';
import { Button } from '../../../components/Button.tsx';
import { classNames } from '../../../components/class-names.ts';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { ErrorNotice } from '../../../components/ErrorNotice.tsx';
import { Field, Input } from '../../../components/fields.tsx';
import { Spinner } from '../../../components/Spinner.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { useDebounced } from '../../../components/use-debounced.ts';
import { countOf } from '../server-words.ts';
import { mergePages } from './merge-pages.ts';
import { RegistryRow } from './RegistryRow.tsx';
import { useRegistrySearch } from './use-registry-search.ts';

export interface RegistrySearchProps {
  readonly words: string;
  readonly field: RefObject<HTMLInputElement | null>;
  /** The server whose button gets the focus when it is next in the list; once. */
  readonly focusOn: RefObject<string | undefined>;
  readonly onWords: (words: string) => void;
  readonly onChoose: (server: RegistryServer) => void;
}

const settleMs = 300;
// Nobody reads on for longer than this; a word in the search finds the rest.
const maxShown = 600;

/** Looks for servers by their names; with no words, all of them page by page. */
export function RegistrySearch({ words, field, focusOn, onWords, onChoose }: RegistrySearchProps) {
  const wanted = useDebounced(words.trim(), settleMs);
  const search = useRegistrySearch(wanted);
  const { data, hasNextPage } = search;
  const servers = search.servers.slice(0, maxShown);
  const isCut = search.servers.length >= maxShown && (hasNextPage || search.servers.length > maxShown);
  const registry = data?.pages[0]?.registry;
  const isSearching = search.isPlaceholderData || wanted !== words.trim();

  async function loadMore(): Promise<void> {
    const { data: now } = await search.fetchNextPage();
    // Whoever reads on begins with the first one that is new; whoever types meanwhile is left alone.
    if (document.activeElement === field.current) return;
    focusOn.current = mergePages(now?.pages ?? [])[servers.length]?.name;
  }

  return (
    <div className="flex flex-col gap-4">
      <p className="text-ink-soft">
        Servers that are published {registry === undefined ? 'in the registry' : 'at '}
        {registry !== undefined && <code>{safeText(registry, 300)}</code>}. What is said about them is their publishers'
        word: look at where one comes from before you add it.
      </p>
      <Field label="Search" hint="A part of the name. Empty lists all of them.">
        {(props) => (
          <Input
            {...props}
            ref={field}
            type="search"
            maxLength={200}
            spellCheck={false}
            autoComplete="off"
            value={words}
            onChange={(event) => {
              focusOn.current = undefined;
              onWords(event.target.value);
            }}
          />
        )}
      </Field>
      {search.isPending && <Spinner label="Asking the registry …" />}
      {data && (
        <p
          role="status"
          className={classNames('text-xs text-ink-soft', servers.length === 0 && !isSearching && 'sr-only')}
        >
          {isSearching ? 'Searching …' : foundWords(servers.length, hasNextPage || isCut)}
        </p>
      )}
      {data && servers.length === 0 && !hasNextPage && !isSearching && (
        <EmptyState icon={<PackageSearch aria-hidden />} title="Nothing found">
          {wanted === ''
            ? 'This registry has no servers.'
            : 'No server has that in its name. Try another word or a part of one.'}
        </EmptyState>
      )}
      {servers.length > 0 && (
        <div aria-busy={isSearching} className="rounded-lg border border-line px-3">
          <ul aria-label="Servers found" className="divide-y divide-line">
            {servers.map((server) => (
              <li key={server.name}>
                <RegistryRow server={server} focusOn={focusOn} onChoose={() => onChoose(server)} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {search.isError && (
        <>
          <ErrorNotice
            title={data ? 'The next servers could not be read' : "The registry can't be searched"}
            error={search.error}
            onRetry={() => void (search.isFetchNextPageError ? loadMore() : search.refetch())}
          />
          <p className="text-xs text-ink-faint">
            It is the gateway that asks the registry. Its address is <code>registry</code> under <code>gateway</code> in
            the configuration.
          </p>
        </>
      )}
      {isCut && (
        <p className="text-center text-ink-soft">More than these are not listed. Search for a part of the name.</p>
      )}
      {hasNextPage && !isCut && !search.isError && (
        <div className="flex justify-center">
          <Button busy={search.isFetchingNextPage} disabled={isSearching} onClick={() => void loadMore()}>
            Load more
          </Button>
        </div>
      )}
    </div>
  );
}

function foundWords(count: number, hasMore: boolean): string {
  return hasMore ? `The first ${countOf(count, 'server')}; there are more.` : `${countOf(count, 'server')}.`;
}
