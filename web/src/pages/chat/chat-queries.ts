import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import type { Assistant } from '../../api/client.ts';

// The maximum of the gateway.
const limit = 1_000;

/** The queries of the chat. */
export const chatQueries = {
  conversations: () =>
    queryOptions({
      queryKey: ['conversations'],
      queryFn: async ({ signal }) => (await api.listConversations({ query: { limit }, signal })).conversations,
    }),
  /** The tools that an assistant gets. */
  preview: ({ id: _, ...assistant }: Assistant) =>
    queryOptions({
      queryKey: ['previews', assistant],
      queryFn: ({ signal }) => api.previewAssistant({ body: assistant, signal }),
    }),
};
