import type { CallRecord } from '../../invocation/call-record.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { ApprovalRequest } from '../../policy/approval.ts';
import { measureJson } from '../../policy/measure-json.ts';
import type { Toolbox, ToolboxEvents } from '../../toolbox.ts';
import type { EventData, EventName } from '../api/schemas/events.ts';
import { visibleStatus } from '../auth/visible-status.ts';
import type { LoggedEvent, Viewer } from './logged-event.ts';

/** Publishes what happens in a toolbox, each event with its own rule of who may see what of it. Returns what ends it. */
export function collectEvents(toolbox: Toolbox, publish: (event: LoggedEvent) => void): () => void {
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
    toolbox.on('content.changed', ({ server, kind }) => publish(ofServer('content.changed', server, { server, kind }))),
    toolbox.on('call.changed', (record) => publish(toCallEvent(record))),
    toolbox.on('approval.asked', (request) => publish(toAskedEvent(request))),
    toolbox.on('approval.answered', ({ request, answer }) => {
      const { kind, scope } = answer;
      const data = { ...aboutApproval(request), answer: kind, ...(scope && { scope }) };
      publish(event('approval.answered', ({ identity }) => (isOwn(identity, request) ? data : undefined)));
    }),
    toolbox.on('config.applied', (applied) => publish(forAdmins('config.applied', applied))),
    toolbox.on('config.refused', ({ error }) => publish(forAdmins('config.refused', { message: error.message }))),
  ];
  return () => {
    for (const end of ends) end();
  };
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

function toCallEvent(record: CallRecord): LoggedEvent {
  const { id, server, tool, originalName, caller, status, end, createdAt, startedAt, completedAt, error } = record;
  const data: EventData<'call.changed'> = {
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
  const whole = {
    ...data,
    ...ifSmall('arguments', record.arguments),
    ...ifSmall('result', record.result),
    ...(error && { error }),
  };
  return event('call.changed', ({ identity }) => {
    if (identity.isAdmin) return whole;
    return isOwn(identity, record) ? data : undefined;
  });
}

function toAskedEvent(request: ApprovalRequest): LoggedEvent {
  const { reason, askedAt, expiresAt } = request;
  const data: EventData<'approval.asked'> = { ...aboutApproval(request), reason, askedAt, expiresAt };
  const whole = { ...data, ...ifSmall('arguments', request.arguments) };
  return event('approval.asked', ({ identity }) => {
    if (identity.isAdmin) return whole;
    return isOwn(identity, request) ? data : undefined;
  });
}

function aboutApproval({ id, callId, server, tool, caller }: ApprovalRequest) {
  return { id, callId, ...(server !== undefined && { server }), tool, caller };
}

function isOwn(identity: Viewer['identity'], { caller }: { readonly caller: { readonly id: string } }): boolean {
  return identity.isAdmin || identity.caller.id === caller.id;
}

const smallBytes = 8_192;

/** Events are kept for a while, so what they hold is bounded. */
function ifSmall<Name extends string>(name: Name, value: JsonObject | undefined): { [key in Name]?: JsonObject } {
  if (!value || measureJson(value, { maxBytes: smallBytes, maxDepth: 64 }).exceeded) return {};
  return { [name]: value } as { [key in Name]?: JsonObject };
}
