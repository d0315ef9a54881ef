import type { EventData, EventName } from '../../../contract/api/events.ts';
import type { JsonObject } from '../../../contract/json.ts';
import type { ConnectionStatus } from '../../../toolwharf/connections/status.ts';
import type { CallRecord } from '../../../toolwharf/invocation/call-record.ts';
import { evictOldest } from '../../../toolwharf/kernel/evict-oldest.ts';
import type { Caller, Progress } from '../../../toolwharf/kernel/tool.ts';
import type { ApprovalRequest } from '../../../toolwharf/policy/approval.ts';
import { measureJson } from '../../../toolwharf/policy/measure-json.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import { hasRight, type Identity, readsAllCalls } from '../auth/identity.ts';
import type { Ownership } from '../auth/ownership.ts';
import { type Scope, toVisibleStatus } from '../auth/profile-scope.ts';
import type { AppHosts } from '../calls/app-hosts.ts';
import type { PendingQuestions } from '../calls/pending-questions.ts';
import { toQuestionView } from '../calls/pending-questions.ts';
import type { ApproverEvents, StoredApprover } from '../calls/stored-approver.ts';
import { createCatalogEvents, type ScopedTool } from './catalog-events.ts';

/** A listener and its current permissions. */
export interface Viewer {
  readonly identity: Identity;
  readonly scope: Scope;
}

/** An event with its audience. It is plain data, so that other replicas can show it too. */
export interface LoggedEvent<Name extends EventName = EventName> {
  readonly name: Name;
  readonly data: EventData<Name>;
  /** The data for administrators; `data` if undefined. */
  readonly adminData?: EventData<Name>;
  readonly audience: Audience;
}

/** The audience of an event. */
export type Audience =
  | { readonly kind: 'everyone' }
  | { readonly kind: 'admins' }
  /** The owner of a call. */
  | { readonly kind: 'owner'; readonly caller: Caller }
  /** The owner of a conversation. */
  | { readonly kind: 'person'; readonly id: string }
  /** Callers whose profile includes the server. */
  | { readonly kind: 'server'; readonly server: string }
  /** Callers whose profile includes the tool. */
  | { readonly kind: 'tool'; readonly tool: ScopedTool }
  /** Callers whose profile includes one of the tools; they see only those. */
  | { readonly kind: 'tools'; readonly tools: Readonly<Record<string, ScopedTool>> };

/** The data that a viewer may see; undefined if the event is hidden. */
export function showEvent(
  { name, data, adminData = data, audience }: LoggedEvent,
  { identity, scope }: Viewer,
  ownership: Pick<Ownership, 'ownsCached'>,
): EventData<EventName> | undefined {
  switch (audience.kind) {
    case 'everyone':
      return data;
    case 'admins':
      return hasRight(identity, 'settings.read') ? data : undefined;
    case 'owner':
      if (hasRight(identity, 'calls.manage')) return adminData;
      // Questions of servers are for the owner of the call only.
      if (readsAllCalls(identity) && !name.startsWith('question.')) return data;
      return ownership.ownsCached(identity, audience.caller) ? data : undefined;
    case 'person':
      return hasRight(identity, 'conversations.manage') || identity.caller.id === audience.id ? data : undefined;
    case 'tool':
      return scope.hasTool(audience.tool) ? data : undefined;
    case 'server':
      if (!scope.hasServer(audience.server)) return undefined;
      return name === 'server.changed' ? hideStatus(data as EventData<'server.changed'>, identity) : data;
    case 'tools':
      return onlyVisible(data as EventData<'catalog.changed'>, audience.tools, scope);
  }
}

function hideStatus(data: EventData<'server.changed'>, identity: Identity): EventData<'server.changed'> {
  return { ...data, status: toVisibleStatus(data.status as ConnectionStatus, identity) };
}

function onlyVisible(
  { server, added, removed, changed }: EventData<'catalog.changed'>,
  tools: Readonly<Record<string, ScopedTool>>,
  scope: Scope,
): EventData<'catalog.changed'> | undefined {
  const visible = (names: readonly string[]) =>
    names.filter((name) => {
      const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
      return tool !== undefined && scope.hasTool(tool);
    });
  const shown = { added: visible(added), removed: visible(removed), changed: visible(changed) };
  if (shown.added.length + shown.removed.length + shown.changed.length === 0) return undefined;
  return { server, ...shown };
}

/** An event, or a function that creates it only if it has an audience. */
export type Publishable = LoggedEvent | (() => LoggedEvent);

export interface EventSources {
  readonly toolbox: InternalToolbox;
  readonly approver: Pick<StoredApprover, 'on'>;
  readonly hosts: Pick<AppHosts, 'on'>;
  readonly questions: Pick<PendingQuestions, 'on'>;
}

export interface EventSinks {
  readonly publish: (event: Publishable) => void;
  /** Sends an event that is not kept. */
  readonly broadcast: (event: LoggedEvent) => void;
}

/** Publishes the events of all sources with their visibility rules. Returns a function that stops it. */
export function collectEvents(sources: EventSources, { publish, broadcast }: EventSinks): () => void {
  const { toolbox, approver, hosts, questions } = sources;
  const catalogEvents = createCatalogEvents(toolbox, (data, tools) =>
    publish({ name: 'catalog.changed', data, audience: { kind: 'tools', tools } }),
  );

  /** Both the approver and the waiting call report an answer. */
  const answered = new Set<string>();
  function onAnswered({ request, answer: { kind, scope, audience } }: ApproverEvents['answered']): void {
    if (answered.has(request.id)) return;
    answered.add(request.id);
    evictOldest(answered, 1_000);
    const data = { ...summarizeApproval(request), answer: kind, scope, audience };
    publish(forOwner('approval.answered', request, data));
  }

  const subscriptions = [
    toolbox.on('server.changed', ({ server, status, before }) =>
      publish(serverEvent('server.changed', server, { server, before, status: status as never })),
    ),
    toolbox.on('catalog.changed', catalogEvents.add),
    toolbox.on('tool.flagged', ({ tool, server, definitionHash, findings }) => {
      const originalName = toolbox.catalog.find(tool)?.originalName ?? tool;
      const data = { tool, server, definitionHash, warnings: [...findings] };
      publish({
        name: 'tool.flagged',
        data: data as never,
        audience: { kind: 'tool', tool: { server, originalName } },
      });
    }),
    toolbox.on('content.changed', ({ server, kind }) =>
      publish(
        server === undefined
          ? forAdmins('content.changed', { kind })
          : serverEvent('content.changed', server, { server, kind }),
      ),
    ),
    toolbox.on('call.changed', (record) =>
      publish(() => {
        const kept = dropLargeFields(record);
        return forOwner('call.changed', record, summarizeCall(kept), detailCall(kept));
      }),
    ),
    hosts.on('progressed', ({ call, progress }) =>
      broadcast(forOwner('call.progressed', call, { id: call.id, ...pickProgress(progress) })),
    ),
    toolbox.on('approval.asked', (request) => {
      const { reason, askedAt, expiresAt } = request;
      const data = { ...summarizeApproval(request), reason, askedAt, expiresAt };
      publish(forOwner('approval.asked', request, data, { ...data, ...ifSmall('arguments', request.arguments) }));
    }),
    toolbox.on('approval.answered', onAnswered),
    approver.on('answered', onAnswered),
    approver.on('withdrawn', ({ request, reason }) =>
      publish(forOwner('approval.withdrawn', request, { ...summarizeApproval(request), reason })),
    ),
    questions.on('asked', (question) => {
      const { params, ...shown } = toQuestionView(question);
      publish(forOwner('question.asked', question, { ...shown, ...ifSmall('params', params) }));
    }),
    questions.on('answered', ({ question, action }) => {
      const { id, callId, conversation } = toQuestionView(question);
      publish(forOwner('question.answered', question, { id, callId, conversation, action }));
    }),
    toolbox.on('profiles.changed', (changed) => publish(forAdmins('profiles.changed', changed))),
    toolbox.on('config.applied', (applied) => publish(forAdmins('config.applied', applied))),
    toolbox.on('config.refused', ({ error }) => publish(forAdmins('config.refused', { message: error.message }))),
  ];
  return () => {
    catalogEvents.stop();
    for (const unsubscribe of subscriptions) unsubscribe();
  };
}

/** An event without data: the list that it names has changed. */
export function listChanged(name: 'assistants.changed' | 'models.changed'): LoggedEvent {
  return { name, data: {}, audience: { kind: 'everyone' } };
}

/** An event about a conversation, visible to its owner. */
export function conversationEvent<Name extends EventName>(
  name: Name,
  owner: string,
  data: EventData<Name>,
): LoggedEvent<Name> {
  return { name, data, audience: { kind: 'person', id: owner } };
}

/** An event about a server, visible to callers whose profile includes it. */
export function serverEvent<Name extends EventName>(
  name: Name,
  server: string,
  data: EventData<Name>,
): LoggedEvent<Name> {
  return { name, data, audience: { kind: 'server', server } };
}

function forAdmins<Name extends EventName>(name: Name, data: EventData<Name>): LoggedEvent<Name> {
  return { name, data, audience: { kind: 'admins' } };
}

/** An event for the owner of a call; administrators see `adminData`. */
function forOwner<Name extends EventName>(
  name: Name,
  { caller }: { readonly caller: Caller },
  data: EventData<Name>,
  adminData?: EventData<Name>,
): LoggedEvent<Name> {
  return { name, data, adminData, audience: { kind: 'owner', caller } };
}

function summarizeCall(record: KeptCall): EventData<'call.changed'> {
  const { id, parent, server, tool, originalName, caller, status, end, createdAt, startedAt, completedAt } = record;
  const { kind, error, rule, approval, task, upstreamTask } = record;
  return {
    ...{ id, kind, parent, server, tool, originalName, caller, status, end, createdAt, startedAt, completedAt, rule },
    isTask: task ? true : undefined,
    upstreamTask,
    errorCode: error?.code,
    approvedBy: approval?.answer === 'allow' ? approval.by : undefined,
  };
}

function detailCall(record: KeptCall): EventData<'call.changed'> {
  const { arguments: args, result, error } = record;
  return { ...summarizeCall(record), error, arguments: args, result };
}

/** A call record as kept in the event log. */
type KeptCall = Omit<CallRecord, 'arguments'> & Partial<Pick<CallRecord, 'arguments'>>;

function dropLargeFields(record: CallRecord): KeptCall {
  const { arguments: args, result, approval, ...rest } = record;
  const kept = { ...rest, approval: approval && { ...approval, originalArguments: undefined } };
  if (isSmall(args) && (result === undefined || isSmall(result))) return { ...kept, arguments: args, result };
  return { ...kept, ...ifSmall('arguments', args), ...ifSmall('result', result) };
}

function summarizeApproval({ id, callId, server, tool, caller }: ApprovalRequest) {
  return { id, callId, server, tool, caller };
}

/** Drops unknown fields sent by servers. */
function pickProgress({ progress, total, message }: Progress): Progress {
  return { progress, total, message };
}

const maxFieldBytes = 8_192;

/** Bounds the memory of kept events. */
function ifSmall<Name extends string>(name: Name, value: JsonObject | undefined): { [key in Name]?: JsonObject } {
  if (!value || !isSmall(value)) return {};
  return { [name]: value } as { [key in Name]?: JsonObject };
}

function isSmall(value: JsonObject): boolean {
  return !measureJson(value, { maxBytes: maxFieldBytes, maxDepth: 64 }).exceeded;
}
