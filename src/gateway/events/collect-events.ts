import type { CallRecord } from '../../invocation/call-record.ts';
import { evictOldest } from '../../kernel/evict-oldest.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Caller, Progress } from '../../kernel/tool.ts';
import type { ApprovalRequest } from '../../policy/approval.ts';
import { measureJson } from '../../policy/measure-json.ts';
import type { Toolbox, ToolboxEvents } from '../../toolbox.ts';
import { toQuestionView } from '../api/question-view.ts';
import type { EventData, EventName } from '../api/schemas/events.ts';
import type { ApproverEvents, StoredApprover } from '../approvals/stored-approver.ts';
import type { Ownership } from '../auth/ownership.ts';
import { visibleStatus } from '../auth/visible-status.ts';
import type { CallsInFlight } from '../calls/calls-in-flight.ts';
import type { PendingQuestions } from '../questions/pending-questions.ts';
import type { LoggedEvent, Publishable, Viewer } from './logged-event.ts';

/** Where things happen. */
export interface EventSources {
  readonly toolbox: Toolbox;
  readonly approver: Pick<StoredApprover, 'on'>;
  readonly calls: Pick<CallsInFlight, 'on'>;
  readonly questions: Pick<PendingQuestions, 'on'>;
  readonly ownership: Pick<Ownership, 'ownsCached'>;
}

export interface EventSinks {
  readonly publish: (event: Publishable) => void;
  /** For what nobody needs to hear of later. */
  readonly mention: (event: LoggedEvent) => void;
}

/** Publishes what happens, each event with its own rule of who may see what of it. Returns what ends it. */
export function collectEvents(sources: EventSources, { publish, mention }: EventSinks): () => void {
  const { toolbox, approver, calls, questions, ownership } = sources;
  const known = new Map<string, { readonly server?: string; readonly originalName: string }>();
  learn(toolbox.tools.map(({ name }) => name));

  function learn(names: readonly string[]): void {
    for (const name of names) {
      const entry = toolbox.entry(name);
      if (entry) known.set(name, { server: entry.server, originalName: entry.originalName });
    }
  }

  function onCatalog({ server, added, removed, changed }: ToolboxEvents['catalog.changed']): void {
    learn([...added, ...changed]);
    // A tool that is gone can no longer be asked who may see it.
    const tools = new Map([...added, ...removed, ...changed].map((name) => [name, known.get(name)]));
    for (const name of removed) known.delete(name);
    publish(
      event('catalog.changed', ({ scope }) => {
        const visible = (names: readonly string[]) =>
          names.filter((name) => {
            const tool = tools.get(name);
            return tool !== undefined && scope.hasTool(tool);
          });
        const shown = { added: visible(added), removed: visible(removed), changed: visible(changed) };
        if (shown.added.length + shown.removed.length + shown.changed.length === 0) return undefined;
        return { ...(server !== undefined && { server }), ...shown };
      }),
    );
  }

  /** An event about something of one caller; administrators see all of it. */
  function ofCaller<Name extends EventName>(
    name: Name,
    { caller }: { readonly caller: Caller },
    data: EventData<Name>,
    whole: EventData<Name> = data,
  ): LoggedEvent {
    return event(name, ({ identity }) => {
      if (identity.isAdmin) return whole;
      return ownership.ownsCached(identity, caller) ? data : undefined;
    });
  }

  /** Who answered and who waited both tell of it. */
  const answered = new Set<string>();
  function onAnswered({ request, answer: { kind, scope } }: ApproverEvents['answered']): void {
    if (answered.has(request.id)) return;
    answered.add(request.id);
    evictOldest(answered, 1_000);
    const data = { ...aboutApproval(request), answer: kind, ...(scope && { scope }) };
    publish(ofCaller('approval.answered', request, data));
  }

  const ends = [
    toolbox.on('server.changed', ({ server, status, before }) =>
      publish(
        event('server.changed', ({ identity, scope }) => {
          if (!scope.hasServer(server)) return undefined;
          return { server, before, status: visibleStatus(status, identity) };
        }),
      ),
    ),
    toolbox.on('catalog.changed', onCatalog),
    toolbox.on('tool.flagged', ({ tool, server, definitionHash, findings }) => {
      const originalName = toolbox.entry(tool)?.originalName ?? tool;
      publish(
        event('tool.flagged', ({ scope }) =>
          scope.hasTool({ server, originalName }) ? { tool, server, definitionHash, warnings: findings } : undefined,
        ),
      );
    }),
    toolbox.on('content.changed', ({ server, kind }) => publish(ofServer('content.changed', server, { server, kind }))),
    toolbox.on('call.changed', (record) =>
      publish(() => {
        const { caller } = record;
        const kept = withoutLarge(record);
        // Nobody may ever ask for it, so it is put into words when somebody does.
        return event('call.changed', ({ identity }) => {
          if (identity.isAdmin) return wholeCall(kept);
          return ownership.ownsCached(identity, caller) ? aboutCall(kept) : undefined;
        });
      }),
    ),
    calls.on('progressed', ({ call, progress }) =>
      mention(ofCaller('call.progressed', call, { id: call.id, ...pickProgress(progress) })),
    ),
    toolbox.on('approval.asked', (request) => {
      const { reason, askedAt, expiresAt } = request;
      const data = { ...aboutApproval(request), reason, askedAt, expiresAt };
      publish(ofCaller('approval.asked', request, data, { ...data, ...ifSmall('arguments', request.arguments) }));
    }),
    toolbox.on('approval.answered', onAnswered),
    approver.on('answered', onAnswered),
    approver.on('withdrawn', ({ request, reason }) =>
      publish(ofCaller('approval.withdrawn', request, { ...aboutApproval(request), reason })),
    ),
    questions.on('asked', (question) => {
      const { params, ...shown } = toQuestionView(question);
      publish(ofCaller('question.asked', question, { ...shown, ...ifSmall('params', params) }));
    }),
    questions.on('answered', ({ question, action }) => {
      const { id, callId, conversation } = toQuestionView(question);
      const place = { ...(callId !== undefined && { callId }), ...(conversation !== undefined && { conversation }) };
      publish(ofCaller('question.answered', question, { id, ...place, action }));
    }),
    toolbox.on('config.applied', (applied) => publish(forAdmins('config.applied', applied))),
    toolbox.on('config.refused', ({ error }) => publish(forAdmins('config.refused', { message: error.message }))),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** An event about one conversation, for its owner. */
export function ofConversation<Name extends EventName>(name: Name, owner: string, data: EventData<Name>): LoggedEvent {
  return event(name, ({ identity }) => (identity.isAdmin || identity.caller.id === owner ? data : undefined));
}

/** An event about one server, for those who may see it. */
export function ofServer<Name extends EventName>(name: Name, server: string, data: EventData<Name>): LoggedEvent {
  return event(name, ({ scope }) => (scope.hasServer(server) ? data : undefined));
}

function forAdmins<Name extends EventName>(name: Name, data: EventData<Name>): LoggedEvent {
  return event(name, ({ identity }) => (identity.isAdmin ? data : undefined));
}

function event<Name extends EventName>(name: Name, show: (viewer: Viewer) => EventData<Name> | undefined): LoggedEvent {
  return { name, show };
}

function aboutCall(record: KeptCall): EventData<'call.changed'> {
  const { id, server, tool, originalName, caller, status, end, createdAt, startedAt, completedAt, error } = record;
  return {
    id,
    ...(server !== undefined && { server }),
    tool,
    originalName,
    caller,
    status,
    ...(end && { end }),
    ...(error && { errorCode: error.code }),
    createdAt,
    ...(startedAt !== undefined && { startedAt }),
    ...(completedAt !== undefined && { completedAt }),
  };
}

function wholeCall(record: KeptCall): EventData<'call.changed'> {
  const { arguments: args, result, error } = record;
  return {
    ...aboutCall(record),
    ...(args && { arguments: args }),
    ...(result && { result }),
    ...(error && { error }),
  };
}

/** What is kept of a call for as long as its event is. */
type KeptCall = Omit<CallRecord, 'arguments'> & Partial<Pick<CallRecord, 'arguments'>>;

function withoutLarge(record: CallRecord): KeptCall {
  const { arguments: args, result, ...rest } = record;
  if (isSmall(args) && (result === undefined || isSmall(result))) return record;
  return { ...rest, ...ifSmall('arguments', args), ...ifSmall('result', result) };
}

function aboutApproval({ id, callId, server, tool, caller }: ApprovalRequest) {
  return { id, callId, ...(server !== undefined && { server }), tool, caller };
}

/** Servers may say more than is asked for. */
function pickProgress({ progress, total, message }: Progress): Progress {
  return { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
}

const smallBytes = 8_192;

/** Events are kept for a while, so what they hold is bounded. */
function ifSmall<Name extends string>(name: Name, value: JsonObject | undefined): { [key in Name]?: JsonObject } {
  if (!value || !isSmall(value)) return {};
  return { [name]: value } as { [key in Name]?: JsonObject };
}

function isSmall(value: JsonObject): boolean {
  return !measureJson(value, { maxBytes: smallBytes, maxDepth: 64 }).exceeded;
}
