import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { listPendingApprovals } from '../../../contract/list-pending-approvals.ts';
import { type Api, api, type Call } from './client.ts';

type CallQuery = NonNullable<NonNullable<Parameters<Api['listCalls']>[0]>['query']>;

/** The queries of the pages for `useQuery`; events invalidate them by the first part of their key. */
export const queries = {
  session: () => queryOptions({ queryKey: ['session'], queryFn: ({ signal }) => api.getSession({ signal }) }),
  health: () => queryOptions({ queryKey: ['health'], queryFn: ({ signal }) => api.getHealth({ signal }) }),
  servers: () =>
    queryOptions({ queryKey: ['servers'], queryFn: async ({ signal }) => (await api.listServers({ signal })).servers }),
  tools: () =>
    queryOptions({ queryKey: ['tools'], queryFn: async ({ signal }) => (await api.listTools({ signal })).tools }),
  /** The tools that are switched off. Only administrators see them. */
  disabledTools: () =>
    queryOptions({
      queryKey: ['tools', 'disabled'],
      queryFn: async ({ signal }) => (await api.listTools({ query: { disabled: 'true' }, signal })).tools,
    }),
  tool: (tool: string) =>
    queryOptions({
      queryKey: ['tools', 'one', tool],
      queryFn: ({ signal }) => api.getTool({ path: { tool }, signal }),
    }),
  /** The tools whose definition changed since it was accepted. */
  changedTools: () =>
    queryOptions({
      queryKey: ['tools', 'changed'],
      queryFn: async ({ signal }) => (await api.listTools({ query: { changed: 'true' }, signal })).tools,
    }),
  serverTools: (server: string) =>
    queryOptions({
      queryKey: ['tools', 'server', server],
      queryFn: async ({ signal }) => (await api.listServerTools({ path: { server }, signal })).tools,
    }),
  toolFormats: (tool: string, definitionHash: string) =>
    queryOptions({
      queryKey: ['tools', 'formats', tool, definitionHash],
      queryFn: ({ signal }) => api.getToolFormats({ path: { tool }, signal }),
    }),
  resources: (server: string) =>
    queryOptions({
      queryKey: ['content', 'resources', server],
      queryFn: ({ signal }) => api.listResources({ path: { server }, signal }),
    }),
  prompts: (server: string) =>
    queryOptions({
      queryKey: ['content', 'prompts', server],
      queryFn: async ({ signal }) => (await api.listPrompts({ path: { server }, signal })).prompts,
    }),
  /** Polled: no event reports new lines. */
  errorOutput: (server: string) =>
    queryOptions({
      queryKey: ['error-output', server],
      queryFn: async ({ signal }) => (await api.getServerErrorOutput({ path: { server }, signal })).lines,
      refetchInterval: 1_500,
      staleTime: 0,
    }),
  /** Below `servers`: each change of a server's status may be a step of its sign-in. */
  signIn: (server: string) =>
    queryOptions({
      queryKey: ['servers', 'sign-in', server],
      queryFn: ({ signal }) => api.getSignIn({ path: { server }, signal }),
    }),
  savedRequests: () =>
    queryOptions({
      queryKey: ['saved-requests'],
      queryFn: async ({ signal }) => (await api.listSavedRequests({ signal })).requests,
    }),
  pendingApprovals: () =>
    queryOptions({
      queryKey: ['approvals', 'pending'],
      queryFn: ({ signal }) => listPendingApprovals(api, signal),
    }),
  /** One approval with its whole arguments, which lists shorten if they are large. */
  approval: (approval: string) =>
    queryOptions({
      queryKey: ['approvals', 'one', approval],
      queryFn: ({ signal }) => api.getApproval({ path: { approval }, signal }),
    }),
  rules: () =>
    queryOptions({ queryKey: ['rules'], queryFn: async ({ signal }) => (await api.listRules({ signal })).rules }),
  calls: (filter: CallQuery = {}) =>
    queryOptions({
      queryKey: ['calls', 'list', filter],
      queryFn: ({ signal }) => api.listCalls({ query: filter, signal }),
      placeholderData: keepPreviousData,
    }),
  /** One call with its result. Its key is not below `calls`, so that events of other calls do not refetch it. */
  call: (call: string) =>
    queryOptions({ queryKey: ['call', call], queryFn: ({ signal }) => api.getCall({ path: { call }, signal }) }),
  /** The calls that a call made, in the order they were made. */
  childCalls: (parent: string) =>
    queryOptions({
      queryKey: ['calls', 'children', parent],
      async queryFn({ signal }) {
        const { calls, next } = await api.listCalls({ query: { parent, limit: 100 }, signal });
        return { calls: calls.toReversed(), hasMore: next !== undefined };
      },
    }),
  /** The calls above a call, nearest first. Up to 20. */
  callAncestors: (call: Call) =>
    queryOptions({
      queryKey: ['call', call.id, 'ancestors'],
      async queryFn({ signal }) {
        const ancestors: Call[] = [];
        for (let { parent } = call; parent?.kind === 'call' && ancestors.length < 20; ) {
          const found = await api.getCall({ path: { call: parent.id }, signal });
          ancestors.push(found);
          parent = found.parent;
        }
        return ancestors;
      },
      staleTime: Number.POSITIVE_INFINITY,
    }),
  /** The approval of a call; null where none was needed or it is no longer stored. */
  callApproval: (call: Call) =>
    queryOptions({
      queryKey: ['approvals', 'of-call', call.id, call.approval?.id],
      async queryFn({ signal }) {
        if (call.approval) return api.getApproval({ path: { approval: call.approval.id }, signal }).catch(() => null);
        if (call.status !== 'pending') return null;
        const approvals = await listPendingApprovals(api, signal);
        return approvals.find(({ callId }) => callId === call.id) ?? null;
      },
    }),
  profiles: () =>
    queryOptions({
      queryKey: ['profiles'],
      queryFn: async ({ signal }) => (await api.listProfiles({ signal })).profiles,
    }),
  keys: () =>
    queryOptions({ queryKey: ['keys'], queryFn: async ({ signal }) => (await api.listKeys({ signal })).keys }),
  config: () => queryOptions({ queryKey: ['config'], queryFn: ({ signal }) => api.getConfig({ signal }) }),
  clients: (profile: string) =>
    queryOptions({
      queryKey: ['profiles', 'clients', profile],
      queryFn: ({ signal }) => api.listClients({ query: { profile }, signal }),
    }),
  questions: () =>
    queryOptions({
      queryKey: ['questions'],
      queryFn: async ({ signal }) => (await api.listQuestions({ signal })).questions,
    }),
};

/** Whether the session has administrator rights; false while it is loading. The gateway enforces them. */
export function useIsAdmin(): boolean {
  return useQuery(queries.session()).data?.rights.includes('admin') ?? false;
}
