import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../api/client.ts';
import { useDebounced } from '../../components/use-debounced.ts';
import { type ProfileDraft, toSettings } from './profile-draft.ts';

/** What clients of a profile with these settings would see, updated while the settings change. */
export function useProfilePreview(draft: ProfileDraft) {
  const current = useMemo(() => toSettings(draft), [draft]);
  const settings = useDebounced(current, 300);
  return useQuery({
    queryKey: ['previews', 'profile', settings],
    queryFn: ({ signal }) => api.previewProfile({ body: settings, signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });
}
