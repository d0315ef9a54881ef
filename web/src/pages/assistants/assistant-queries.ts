import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../api/api.ts';
import type { Assistant } from '../../api/client.ts';
import { useDebounced } from '../../components/use-debounced.ts';
import type { AssistantDraft } from './assistant-draft.ts';

/** The tools of an assistant with these settings. */
export function previewQuery({
  serverIds,
  disabledTools,
  trustedTools,
}: Pick<Assistant, 'serverIds' | 'disabledTools' | 'trustedTools'>) {
  return queryOptions({
    queryKey: ['previews', serverIds, disabledTools, trustedTools],
    queryFn: ({ signal }) =>
      api.previewAssistant({
        // The name does not affect the tools.
        body: { name: 'Preview', serverIds, disabledTools, trustedTools },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
}

type ToolSettings = Pick<AssistantDraft, 'serverIds' | 'disabledTools' | 'trustedTools'>;

/** The tools that an assistant with these settings gets, as the gateway answers while the settings change. */
export function useToolPreview({ serverIds, disabledTools, trustedTools }: ToolSettings) {
  const current = useMemo(() => ({ serverIds, disabledTools, trustedTools }), [serverIds, disabledTools, trustedTools]);
  const settled = useDebounced(current, 300);
  const { data, isError, isPlaceholderData } = useQuery(previewQuery(settled));
  return { preview: data, isError, isOutdated: isPlaceholderData || settled !== current };
}
