import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from './api.ts';
import type { Api } from './client.ts';

type CallQuery = NonNullable<NonNullable<Parameters<Api['listCalls']>[0]>['query']>;

/** The queries of the pages for `useQuery`; events invalidate them by the first part of their key. */
export const queries = {
  session: () => queryOptions({ queryKey: ['session'], queryFn: ({ signal }) => api.getSession({ signal }) }),
  health: () => queryOptions({ queryKey: ['health'], queryFn: ({ signal }) => api.getHealth({ signal }) }),
  servers: () =>
    queryOptions({ queryKey: ['servers'], queryFn: async ({ signal }) => (await api.listServers({ signal })).servers }),
  tools: () =>
    queryOptions({ queryKey: ['tools'], queryFn: async ({ signal }) => (await api.listTools({ signal })).tools }),
  approvals: (status?: 'pending') =>
    queryOptions({
      queryKey: ['approvals', status ?? 'all'],
      queryFn: async ({ signal }) => (await api.listApprovals({ query: status ? { status } : {}, signal })).approvals,
    }),
  rules: () =>
    queryOptions({ queryKey: ['rules'], queryFn: async ({ signal }) => (await api.listRules({ signal })).rules }),
  calls: (filter: CallQuery = {}) =>
    queryOptions({
      queryKey: ['calls', 'list', filter],
      queryFn: ({ signal }) => api.listCalls({ query: filter, signal }),
      placeholderData: keepPreviousData,
    }),
  call: (call: string) =>
    queryOptions({
      queryKey: ['calls', 'one', call],
      queryFn: ({ signal }) => api.getCall({ path: { call }, signal }),
    }),
  profiles: () =>
    queryOptions({
      queryKey: ['profiles'],
      queryFn: async ({ signal }) => (await api.listProfiles({ signal })).profiles,
    }),
  assistants: () =>
    queryOptions({
      queryKey: ['assistants'],
      queryFn: async ({ signal }) => (await api.listAssistants({ signal })).assistants,
    }),
  keys: () =>
    queryOptions({ queryKey: ['keys'], queryFn: async ({ signal }) => (await api.listKeys({ signal })).keys }),
  config: () => queryOptions({ queryKey: ['config'], queryFn: ({ signal }) => api.getConfig({ signal }) }),
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
  clients: (profile: string) =>
    queryOptions({
      queryKey: ['profiles', 'clients', profile],
      queryFn: async ({ signal }) => (await api.listClients({ query: { profile }, signal })).clients,
    }),
  questions: () =>
    queryOptions({
      queryKey: ['questions'],
      queryFn: async ({ signal }) => (await api.listQuestions({ signal })).questions,
    }),
};
