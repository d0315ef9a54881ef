import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Assistant, api } from '../../api/client.ts';

type ToolSettings = Pick<Assistant, 'serverIds' | 'disabledTools' | 'trustedTools' | 'expose'>;

/** The queries of this feature. */
export const chatQueries = {
  assistants: () =>
    queryOptions({
      queryKey: ['assistants'],
      queryFn: async ({ signal }) => (await api.listAssistants({ signal })).assistants,
    }),
  /** The tools that an assistant with these settings gets. */
  preview: ({ serverIds, disabledTools, trustedTools, expose }: ToolSettings) =>
    queryOptions({
      queryKey: ['previews', serverIds, disabledTools, trustedTools, expose],
      queryFn: ({ signal }) =>
        // The name does not affect the tools.
        api.previewAssistant({ body: { name: 'preview', serverIds, disabledTools, trustedTools, expose }, signal }),
      placeholderData: keepPreviousData,
    }),
  conversations: () =>
    queryOptions({
      queryKey: ['conversations'],
      // The maximum of the gateway.
      queryFn: async ({ signal }) => (await api.listConversations({ query: { limit: 1_000 }, signal })).conversations,
    }),
  conversationSearch: (query: string) =>
    queryOptions({
      // Below `conversations`, so that events refetch it.
      queryKey: ['conversations', 'search', query],
      queryFn: ({ signal }) => api.searchConversations({ query: { query }, signal }),
      enabled: query !== '',
      placeholderData: keepPreviousData,
    }),
  /** The content of an attachment never changes. */
  attachment: (conversation: string, attachment: string) =>
    queryOptions({
      queryKey: ['attachments', conversation, attachment],
      queryFn: ({ signal }) => api.getAttachment({ path: { conversation, attachment }, signal }),
      staleTime: Number.POSITIVE_INFINITY,
    }),
  modelSettings: () =>
    queryOptions({
      queryKey: ['model-settings'],
      queryFn: async ({ signal }) => (await api.listModelSettings({ signal })).settings,
    }),
  providers: () =>
    queryOptions({
      queryKey: ['providers', 'list'],
      queryFn: async ({ signal }) => (await api.listProviders({ signal })).providers,
    }),
  models: (provider: string) =>
    queryOptions({
      queryKey: ['providers', 'models', provider],
      queryFn: async ({ signal }) => (await api.listModels({ path: { provider }, signal })).models,
    }),
};
