import { keepPreviousData } from '@tanstack/react-query';
import { type Assistant, api } from '../../api/client.ts';
import { query } from '../../api/queries.ts';

type ToolSettings = Pick<Assistant, 'serverIds' | 'disabledTools' | 'trustedTools' | 'expose'>;

/** The queries of this feature. */
export const chatQueries = {
  assistants: () => query(['assistants'], async (signal) => (await api.listAssistants({ signal })).assistants),
  /** The tools that an assistant with these settings gets. */
  preview: ({ serverIds, disabledTools, trustedTools, expose }: ToolSettings) =>
    query(
      ['previews', serverIds, disabledTools, trustedTools, expose],
      (signal) =>
        // The name does not affect the tools.
        api.previewAssistant({ body: { name: 'preview', serverIds, disabledTools, trustedTools, expose }, signal }),
      { placeholderData: keepPreviousData },
    ),
  conversations: () =>
    query(
      ['conversations'],
      // The maximum of the gateway.
      async (signal) => (await api.listConversations({ query: { limit: 1_000 }, signal })).conversations,
    ),
  /** Below `conversations`, so that events refetch it. */
  conversationSearch: (words: string) =>
    query(
      ['conversations', 'search', words],
      (signal) => api.searchConversations({ query: { query: words }, signal }),
      { enabled: words !== '', placeholderData: keepPreviousData },
    ),
  /** The content of an attachment never changes. */
  attachment: (conversation: string, attachment: string) =>
    query(
      ['attachments', conversation, attachment],
      (signal) => api.getAttachment({ path: { conversation, attachment }, signal }),
      { staleTime: Number.POSITIVE_INFINITY },
    ),
  modelSettings: () => query(['model-settings'], async (signal) => (await api.listModelSettings({ signal })).settings),
  providers: () => query(['providers', 'list'], async (signal) => (await api.listProviders({ signal })).providers),
  models: (provider: string) =>
    query(
      ['providers', 'models', provider],
      async (signal) => (await api.listModels({ path: { provider }, signal })).models,
    ),
};
