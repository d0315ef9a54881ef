import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import type { Assistant } from '../../api/client.ts';

/** Which tools such an assistant gets. Out of date when tools and servers come and go. */
export function previewQuery({ serverIds, disabledTools }: Pick<Assistant, 'serverIds' | 'disabledTools'>) {
  return queryOptions({
    queryKey: ['previews', serverIds, disabledTools],
    queryFn: ({ signal }) =>
      api.previewAssistant({
        // What it is called and what it says changes nothing about its tools.
        body: { name: 'Preview', serverIds, ...(disabledTools && { disabledTools }) },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
}
