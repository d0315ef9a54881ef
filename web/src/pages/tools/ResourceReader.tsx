import { useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { api } from '../../api/api.ts';
import { Button } from '../../components/Button.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { ReadResult } from '../../components/content/ReadResult.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { formatBytes } from '../../components/format-bytes.ts';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';

type Item = Readonly<Record<string, unknown>>;

/** One resource: what its server says about it, and what is in it. */
export function ResourceReader({ server, resource }: { readonly server: string; readonly resource: Item }) {
  const uri = String(resource.uri ?? '');
  return (
    <>
      <OfferHeader item={resource} address={uri} />
      <ResourceContent server={server} uri={uri} />
    </>
  );
}

/** The name and description of a resource or template, and the address it has. */
export function OfferHeader({ item, address }: { readonly item: Item; readonly address: string }) {
  return (
    <header className="flex min-w-0 flex-col gap-1">
      <h2 className="text-base break-words">{safeText(item.title ?? item.name ?? address, 200)}</h2>
      <p className="flex flex-wrap items-center gap-1 text-xs text-ink-soft">
        <code className="break-all">{safeText(address, 500)}</code>
        <CopyButton text={address} what="address" />
        {typeof item.mimeType === 'string' && safeText(item.mimeType, 100)}
        {typeof item.size === 'number' && ` · ${formatBytes(item.size)}`}
      </p>
      {typeof item.description === 'string' && (
        <p className="max-w-prose break-words whitespace-pre-wrap text-ink-soft">{safeText(item.description, 5_000)}</p>
      )}
    </header>
  );
}

/** What a server answers when one of its resources is read. */
export function ResourceContent({ server, uri }: { readonly server: string; readonly uri: string }) {
  const read = useQuery({
    queryKey: ['content', 'read', server, uri],
    queryFn: ({ signal }) => api.readResource({ path: { server }, query: { uri }, signal }),
    // Reading may cost the server something: once, and again when asked or when it says that something changed.
    retry: false,
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
  return (
    <section aria-label="Content" className="flex min-w-0 flex-col items-start gap-3">
      <Button size="small" busy={read.isFetching} onClick={() => void read.refetch()}>
        {!read.isFetching && <RefreshCw aria-hidden />}
        Read again
      </Button>
      <div className="w-full min-w-0">
        {read.isError && <ErrorNotice title="It could not be read" error={read.error} />}
        {read.isPending && <Spinner label="Reading …" />}
        {read.data && !read.isError && <ReadResult answer={read.data} />}
      </div>
    </section>
  );
}
