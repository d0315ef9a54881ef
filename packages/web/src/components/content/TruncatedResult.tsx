import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { formatBytes } from '../../text/formats.ts';
import { Button } from '../Button.tsx';
import { messageOf, Notice } from '../ErrorNotice.tsx';
import { useAction } from '../use-action.ts';
import { LongText } from './LongText.tsx';
import { saveFile } from './save-file.ts';

const pageLength = 100_000;

/** Loads the whole of a truncated result, page by page. */
export function TruncatedResult({ callId }: { readonly callId: string }) {
  const [isLoading, setLoading] = useState(false);
  const pages = useInfiniteQuery({
    queryKey: ['full-result', callId],
    queryFn: ({ pageParam, signal }) =>
      api.readCallResult({ path: { call: callId }, query: { offset: pageParam, length: pageLength }, signal }),
    initialPageParam: 0,
    getNextPageParam: (page) => page.nextOffset,
    enabled: isLoading,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const saving = useAction({
    run: () => readAll(callId),
    onSuccess: (parts) => saveFile(`${callId}.json`, parts, 'application/json'),
  });
  const loaded = pages.data?.pages ?? [];
  const total = loaded[0]?.totalLength;
  const content = loaded.map((page) => page.text).join('');
  return (
    <Notice
      tone="warn"
      title="This result is truncated"
      actions={
        <>
          {!isLoading && (
            <Button size="small" onClick={() => setLoading(true)}>
              Load the full result
            </Button>
          )}
          {pages.hasNextPage && (
            <Button size="small" busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
              Load more
            </Button>
          )}
          <Button size="small" busy={saving.isPending} onClick={() => saving.mutate()}>
            Download
          </Button>
        </>
      }
    >
      <p>The gateway keeps the full result for a limited time.</p>
      {pages.isError && <p className="text-bad">{messageOf(pages.error)}</p>}
      {total !== undefined && (
        <div className="mt-2 flex flex-col gap-1">
          <p>{`${formatBytes(content.length)} of ${formatBytes(total)} loaded, as JSON:`}</p>
          <LongText text={content} name={`${callId}.json`} />
        </div>
      )}
    </Notice>
  );
}

async function readAll(callId: string): Promise<string> {
  const parts: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page: { readonly text: string; readonly nextOffset?: number } = await api.readCallResult({
      path: { call: callId },
      query: { offset, length: 1_000_000 },
    });
    parts.push(page.text);
    offset = page.nextOffset;
  }
  return parts.join('');
}
