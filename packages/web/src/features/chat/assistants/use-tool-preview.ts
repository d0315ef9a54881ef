import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useDebounced } from '../../../components/use-debounced.ts';
import { chatQueries } from '../queries.ts';
import type { AssistantDraft } from './assistant-draft.ts';

type ToolSettings = Pick<AssistantDraft, 'serverIds' | 'disabledTools' | 'trustedTools' | 'expose'>;

/** The tools that an assistant with these settings gets, updated while the settings change. */
export function useToolPreview({ serverIds, disabledTools, trustedTools, expose }: ToolSettings) {
  const current = useMemo(
    () => ({ serverIds, disabledTools, trustedTools, expose }),
    [serverIds, disabledTools, trustedTools, expose],
  );
  const settled = useDebounced(current, 300);
  const { data, isError, isPlaceholderData } = useQuery(chatQueries.preview(settled));
  return { preview: data, isError, isOutdated: isPlaceholderData || settled !== current };
}
