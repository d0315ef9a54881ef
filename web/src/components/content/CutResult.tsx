import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Button } from '../Button.tsx';
import { messageOf, Notice } from '../ErrorNotice.tsx';
import { formatBytes } from '../format-bytes.ts';
import { useTell } from '../Toasts.tsx';
import { LongText } from './LongText.tsx';
import { saveFile } from './save-file.ts';

const pageLength = 100_000;

/** Reads on, page by page, in a result that was too big to be handed out whole. */
export function CutResult({ callId }: { readonly callId: string }) {
  const [reading, setReading] = useState(false);
  const tell = useTell();
  const pages = useInfiniteQuery({
    queryKey: ['kept-result', callId],
    queryFn: ({ pageParam, signal }) =>
      api.readCallResult({ path: { call: callId }, query: { offset: pageParam, length: pageLength }, signal }),
    initialPageParam: 0,
    getNextPageParam: (page) => page.nextOffset,
    enabled: reading,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const saving = useMutation({ mutationFn: () => readAll(callId), onError: tell.failed });
  const read = pages.data?.pages ?? [];
  const total = read[0]?.totalLength;
  const text = read.map((page) => page.text).join('');
  return (
    <Notice
      tone="warn"
      title="The result is bigger than what is shown"
      actions={
        <>
          {!reading && (
            <Button size="small" onClick={() => setReading(true)}>
              Read the whole result
            </Button>
          )}
          {pages.hasNextPage && (
            <Button size="small" busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
              Read on
            </Button>
          )}
          <Button
            size="small"
            busy={saving.isPending}
            onClick={() =>
              saving.mutate(undefined, {
                onSuccess: (parts) => saveFile(`${callId}.json`, parts, 'application/json'),
              })
            }
          >
            Save as a file
          </Button>
        </>
      }
    >
      <p>The gateway keeps the whole of it for a while.</p>
      {pages.isError && <p className="text-bad">{messageOf(pages.error)}</p>}
      {total !== undefined && (
        <div className="mt-2 flex flex-col gap-1">
          <p>
            {formatBytes(text.length)} of {formatBytes(total)} read, as JSON:
          </p>
          <LongText text={text} name={`${callId}.json`} />
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
