import { keepPreviousData, queryOptions, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { listPendingApprovals } from '../../../contract/list-pending-approvals.ts';
import type { Permission } from '../../../contract/rights.ts';
import { type Api, api, type Call } from './client.ts';

type CallQuery = NonNullable<NonNullable<Parameters<Api['listCalls']>[0]>['query']>;

type QueryExtras<Data> = Pick<UseQueryOptions<Data>, 'enabled' | 'placeholderData' | 'refetchInterval' | 'staleTime'>;

/** A query by its key. Its requests end with the signal. */
export function query<Data>(
  queryKey: readonly unknown[],
  load: (signal: AbortSignal) => Promise<Data>,
  extras: QueryExtras<Data> = {},
) {
  return queryOptions({ queryKey, queryFn: ({ signal }) => load(signal), ...extras });
}

/** The queries of the pages for `useQuery`; events invalidate them by the first part of their key. */
export const queries = {
  session: () => query(['session'], (signal) => api.getSession({ signal })),
  health: () => query(['health'], (signal) => api.getHealth({ signal })),
  servers: () => query(['servers'], async (signal) => (await api.listServers({ signal })).servers),
  tools: () => query(['tools'], async (signal) => (await api.listTools({ signal })).tools),
  /** The tools that are switched off. Only administrators see them. */
  disabledTools: () =>
    query(
      ['tools', 'disabled'],
      async (signal) => (await api.listTools({ query: { disabled: 'true' }, signal })).tools,
    ),
  tool: (tool: string) => query(['tools', 'one', tool], (signal) => api.getTool({ path: { tool }, signal })),
  /** The tools whose definition changed since it was accepted. */
  changedTools: () =>
    query(['tools', 'changed'], async (signal) => (await api.listTools({ query: { changed: 'true' }, signal })).tools),
  serverTools: (server: string) =>
    query(
      ['tools', 'server', server],
      async (signal) => (await api.listServerTools({ path: { server }, signal })).tools,
    ),
  toolFormats: (tool: string, definitionHash: string) =>
    query(['tools', 'formats', tool, definitionHash], (signal) => api.getToolFormats({ path: { tool }, signal })),
  resources: (server: string) =>
    query(['content', 'resources', server], (signal) => api.listResources({ path: { server }, signal })),
  prompts: (server: string) =>
    query(
      ['content', 'prompts', server],
      async (signal) => (await api.listPrompts({ path: { server }, signal })).prompts,
    ),
  /** Polled: no event reports new lines. */
  errorOutput: (server: string) =>
    query(
      ['error-output', server],
      async (signal) => (await api.getServerErrorOutput({ path: { server }, signal })).lines,
      { refetchInterval: 1_500, staleTime: 0 },
    ),
  /** Below `servers`: each change of a server's status may be a step of its sign-in. */
  signIn: (server: string) =>
    query(['servers', 'sign-in', server], (signal) => api.getSignIn({ path: { server }, signal })),
  savedRequests: () => query(['saved-requests'], async (signal) => (await api.listSavedRequests({ signal })).requests),
  pendingApprovals: () => query(['approvals', 'pending'], (signal) => listPendingApprovals(api, signal)),
  /** One approval with its whole arguments, which lists shorten if they are large. */
  approval: (approval: string) =>
    query(['approvals', 'one', approval], (signal) => api.getApproval({ path: { approval }, signal })),
  rules: () => query(['rules'], async (signal) => (await api.listRules({ signal })).rules),
  calls: (filter: CallQuery = {}) =>
    query(['calls', 'list', filter], (signal) => api.listCalls({ query: filter, signal }), {
      placeholderData: keepPreviousData,
    }),
  /** One call with its result. Its key is not below `calls`, so that events of other calls do not refetch it. */
  call: (call: string) => query(['call', call], (signal) => api.getCall({ path: { call }, signal })),
  /** The calls that a call made, in the order they were made. */
  childCalls: (parent: string) =>
    query(['calls', 'children', parent], async (signal) => {
      const { calls, next } = await api.listCalls({ query: { parent, limit: 100 }, signal });
      return { calls: calls.toReversed(), hasMore: next !== undefined };
    }),
  /** The calls above a call, nearest first. Up to 20. */
  callAncestors: (call: Call) =>
    query(
      ['call', call.id, 'ancestors'],
      async (signal) => {
        const ancestors: Call[] = [];
        for (let { parent } = call; parent?.kind === 'call' && ancestors.length < 20; ) {
          const found = await api.getCall({ path: { call: parent.id }, signal });
          ancestors.push(found);
          parent = found.parent;
        }
        return ancestors;
      },
      { staleTime: Number.POSITIVE_INFINITY },
    ),
  /** The approval of a call; null where none was needed or it is no longer stored. */
  callApproval: (call: Call) =>
    query(['approvals', 'of-call', call.id, call.approval?.id], async (signal) => {
      if (call.approval) return api.getApproval({ path: { approval: call.approval.id }, signal }).catch(() => null);
      if (call.status !== 'pending') return null;
      const approvals = await listPendingApprovals(api, signal);
      return approvals.find(({ callId }) => callId === call.id) ?? null;
    }),
  profiles: () => query(['profiles'], async (signal) => (await api.listProfiles({ signal })).profiles),
  keys: () => query(['keys'], async (signal) => (await api.listKeys({ signal })).keys),
  roles: () => query(['roles'], (signal) => api.listRoles({ signal })),
  config: () => query(['config'], (signal) => api.getConfig({ signal })),
  clients: (profile: string) =>
    query(['profiles', 'clients', profile], (signal) => api.listClients({ query: { profile }, signal })),
  questions: () => query(['questions'], async (signal) => (await api.listQuestions({ signal })).questions),
};

/** Whether the session has a permission; false while it is loading. The gateway enforces permissions. */
export function useMay(permission: Permission): boolean {
  return useQuery(queries.session()).data?.permissions.includes(permission) ?? false;
}
