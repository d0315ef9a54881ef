import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './client.ts';

/** What the page knows of the gateway. The event stream says when something is out of date, so nothing is asked for again and again. */
export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 60_000,
        refetchOnWindowFocus: false,
        // What the gateway refused it refuses again; only silence is worth another try.
        retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.status < 500),
      },
    },
  });
}
