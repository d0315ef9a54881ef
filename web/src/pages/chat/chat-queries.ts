import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import type { Assistant } from '../../api/client.ts';

// As many as the gateway gives at once.
const limit = 1_000;

/** What only the chat reads. */
export const chatQueries = {
  conversations: () =>
    queryOptions({
      queryKey: ['conversations'],
      queryFn: async ({ signal }) => (await api.listConversations({ query: { limit }, signal })).conversations,
    }),
  /** Which tools an assistant gets now: out of date whenever the tools are. */
  preview: ({ id: _, ...assistant }: Assistant) =>
    queryOptions({
      queryKey: ['previews', assistant],
      queryFn: ({ signal }) => api.previewAssistant({ body: assistant, signal }),
    }),
};
