import type { CatalogEntry } from '../catalog/catalog.ts';
import type { SkillEntry } from '../catalog/skill-entry.ts';
import type { ApprovalConfig, ToolboxConfig } from '../config/config.ts';
import type { AccountUse } from '../connections/accounts/account-store.ts';
import type { Connection } from '../connections/connection.ts';
import { toServerAddress } from '../connections/protocol-cache.ts';
import type { RequestHost } from '../connections/request-host.ts';
import { isoTime } from '../kernel/clock.ts';
import { createId } from '../kernel/create-id.ts';
import { ToolwharfError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Log } from '../kernel/log.ts';
import { skillPath } from '../kernel/skill.ts';
import type { Caller } from '../kernel/tool.ts';
import { type Decision, decideByStore } from '../policy/decide.ts';
import type { ReviewCall } from '../policy/review.ts';
import { type ApprovalPorts, askApproval } from './ask-approval.ts';
import { type CallPolicy, toReviewedCall } from './authorize.ts';
import { type CallHost, programCaller, RunningCall } from './call.ts';
import { type CallEnding, endingFor, toCallError } from './call-ending.ts';
import type { CallParent, CallRecord, ContentKind } from './call-record.ts';
import { assignAccount, type DispatchPorts, toRequestHost, withoutAccount } from './dispatch.ts';
import { assertHeld, type Journal, writeRecord } from './journal.ts';

/** A resource or prompt to read. */
export interface ContentRead {
  readonly kind: ContentKind;
  /** Undefined for the skills of local folders. */
  readonly server: string | undefined;
  /** `{ uri }` of a resource, `{ name, arguments }` of a prompt. */
  readonly params: JsonObject;
  /** Set if the resource is a file of a skill. */
  readonly skill?: SkillRead;
}

/** How a file of a skill is read. */
export interface SkillRead {
  readonly entry: SkillEntry;
  /** Loads the file and compares it with the skill's list. `send` requests the file from the server. */
  readonly load: (send: () => Promise<JsonObject>) => Promise<JsonObject>;
  /** A person accepted the changed skill permanently. */
  readonly onAccepted: () => Promise<void>;
}

/** How a resource or prompt is read. */
export interface ReadOptions {
  readonly signal?: AbortSignal;
  /** Answers the server's questions, and the approval if reads need one. */
  readonly host?: CallHost;
  /** The reader; the program by default. */
  readonly caller?: Caller;
}

/** Options of a read on behalf of a caller with its own policy. */
export interface InternalReadOptions extends ReadOptions {
  readonly policy?: CallPolicy;
  /** The policy after a person was asked. Rejects when the caller has lost its access. */
  readonly refreshPolicy?: () => CallPolicy | Promise<CallPolicy>;
  /** Passed on to the server as the request's `_meta`. */
  readonly meta?: JsonObject;
  /** The reader is an administrator who decides whether to accept a changed skill: no approval of the change is needed. */
  readonly isReview?: boolean;
  /** The id of the call; a new one by default. */
  readonly id?: string;
  readonly parent?: CallParent;
  /** Called with the call of the read before it is authorized. */
  readonly onStarted?: (call: Pick<RunningCall, 'subscribe'>) => void;
}

export interface ReaderPorts
  extends Omit<ApprovalPorts, 'onWaiting' | 'onAccepted'>,
    Pick<DispatchPorts, 'defaultHost' | 'onLog' | 'chooseAccount'> {
  readonly settings: () => ToolboxConfig;
  readonly findConnection: (server: string) => Pick<Connection, 'spec'> | undefined;
  readonly journal: Journal;
  readonly log: Log;
  readonly onCall: (record: CallRecord) => void;
  /** The review by the policies of plugins; undefined if there are none. */
  readonly review?: () => ReviewCall | undefined;
  /** True for a resource that only the reads of skills may return. */
  readonly isOfSkill: (server: string, uri: string) => boolean;
  readonly send: (
    server: string,
    method: string,
    params: JsonObject,
    options: { readonly signal?: AbortSignal; readonly host?: RequestHost; readonly account?: AccountUse },
  ) => Promise<JsonObject>;
}

/** Reads resources and prompts. */
export type ReadContent = (read: ContentRead, options?: InternalReadOptions) => Promise<JsonObject>;

/** Subscribes to changes of resources, and records that if there is a caller; the returned function unsubscribes. */
export type WatchResources = (
  server: string,
  uris: string | readonly string[],
  options?: Pick<ReadOptions, 'caller'>,
) => Promise<() => Promise<void>>;

const methods = { resource: 'resources/read', prompt: 'prompts/get' } as const;
const subscribeMethod = 'resources/subscribe';

/** Records subscriptions like reads. They need no approval, since they return no content. */
export function createRecordedWatch(
  watch: WatchResources,
  ports: Pick<ReaderPorts, 'clock' | 'journal' | 'log' | 'onCall' | 'findConnection'>,
): WatchResources {
  return async (server, uris, { caller } = {}) => {
    if (!caller) return watch(server, uris);
    const epoch = ports.journal.lease?.epoch;
    const write = async (record: CallRecord, when: 'before' | 'after') => {
      await writeRecord(record, when, ports, when === 'before' ? epoch : undefined);
      ports.onCall(record);
    };
    const calls = [uris].flat().map((uri) => subscriptionCall({ kind: 'resource', server, params: { uri } }, caller));
    const endAll = (endingOf: (call: RunningCall) => CallEnding) =>
      Promise.all(calls.map((call) => write(call.end(endingOf(call)), 'after')));
    await Promise.all(calls.map((call) => write(call.start(call.record.arguments), 'before')));
    try {
      assertHeld(ports.journal, epoch);
      const unwatch = await watch(server, uris, { caller });
      await endAll(() => ({ status: 'success' }));
      return unwatch;
    } catch (cause) {
      await endAll(({ signal }) => endingFor(toCallError(cause, signal)));
      throw cause;
    } finally {
      for (const call of calls) call.setState('ended');
    }
  };

  function subscriptionCall(read: ContentRead, caller: Caller): RunningCall {
    return new RunningCall({
      id: createId(),
      kind: read.kind,
      entry: toEntry(read, ports, subscribeMethod),
      arguments: read.params,
      caller,
      host: {},
      now: () => isoTime(ports.clock.now()),
    });
  }
}

/** Authorizes and records every read. It returns the server's answer unchanged, and rejects with its error. */
export function createReader(ports: ReaderPorts): ReadContent {
  const now = () => isoTime(ports.clock.now());
  const write = (call: RunningCall, record: CallRecord) => writeRecord(record, 'before', ports, call.epoch);

  return async (read, options = {}) => {
    const { signal, caller = programCaller, host = {}, meta, parent } = options;
    const entry = toEntry(read, ports);
    const call = new RunningCall({
      id: options.id ?? createId(),
      kind: read.kind,
      entry,
      arguments: read.params,
      caller,
      host,
      parent,
      now,
    });
    call.epoch = ports.journal.lease?.epoch;
    const onAbort = () => call.abort(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    try {
      options.onStarted?.(call);
      ports.onCall(call.record);
      call.signal.throwIfAborted();
      const { params, rule } = await authorizeRead(call, entry, read, options);
      await assignAccount(call, read.server, meta, ports);
      await call.recorded;
      const started = call.start(params, rule);
      await write(call, started);
      ports.onCall(started);
      assertHeld(ports.journal, call.epoch);
      const sent = meta ? { ...params, _meta: withoutAccount(meta) } : params;
      const requestHost = toRequestHost(call, entry, ports);
      const { account } = call;
      const send = async () =>
        ports.send(read.server ?? '', methods[read.kind], sent, { signal, host: requestHost, account });
      const answer = await (read.skill ? read.skill.load(send) : send());
      await finish(call.end({ status: 'success' }));
      return answer;
    } catch (cause) {
      await finish(call.end(endingFor(toCallError(cause, call.signal))));
      throw cause;
    } finally {
      call.setState('ended');
      signal?.removeEventListener('abort', onAbort);
    }
  };

  async function authorizeRead(
    call: RunningCall,
    entry: CatalogEntry,
    { kind, server, params, skill }: ContentRead,
    { policy = { approval: ports.settings().approval }, refreshPolicy, isReview = false }: InternalReadOptions,
  ): Promise<{ readonly params: JsonObject; readonly rule?: string }> {
    const assertVisible = ({ mayRead }: CallPolicy, wanted: JsonObject) => {
      const name = String(kind === 'resource' ? wanted.uri : wanted.name);
      // A person who approves can edit the URI, but not to that of another skill.
      const isOther = skill
        ? name !== params.uri
        : kind === 'resource' && server !== undefined && ports.isOfSkill(server, name);
      const content = skill
        ? { kind: 'skill' as const, server, name: skillPath(skill.entry.definition.uri) }
        : { kind, server, name };
      if (isOther || (mayRead && !mayRead(content)))
        throw new ToolwharfError('NOT_FOUND', `There is no ${kind} '${name}'`);
    };
    assertVisible(policy, params);
    const changed = isReview ? undefined : skill?.entry.changed;
    if (skill && changed === 'quarantine')
      throw new ToolwharfError(
        'CALL_DENIED',
        `The read was denied: ${reasonOf(skill.entry)}; it stays unusable until a person accepts the change`,
      );
    const approval = toReadApproval(policy.approval);
    const { caller } = call;
    const decision = await decideByStore({ tool: { ...entry, changed }, approval, caller, args: params }, ports.rules);
    if (decision.kind === 'deny')
      throw new ToolwharfError('CALL_DENIED', `The read was denied: ${decision.reason}`, { data: { server } });
    const objection = await reviewRead(call, entry, params, decision);
    if (decision.kind === 'allow' && !objection) return { params, rule: decision.rule };
    const ownReason = skill && changed ? reasonOf(skill.entry) : 'reads of resources and prompts need approval';
    const reason = objection?.reason ?? ownReason;
    const onAccepted = skill?.onAccepted ?? (async () => {});
    const approved = await askApproval(
      call,
      { entry, args: params, reason, policy: objection?.by, approval },
      { ...ports, onWaiting, onAccepted },
    );
    assertVisible((await refreshPolicy?.()) ?? policy, approved);
    if (approved !== params) await reviewRead(call, entry, approved, decision);
    return { params: approved };
  }

  /** The approval that policies of plugins require; rejects if they deny the read. */
  async function reviewRead(call: RunningCall, entry: CatalogEntry, params: JsonObject, decision: Decision) {
    const objection = await ports.review?.()?.(toReviewedCall(call, entry, params, decision));
    if (objection?.kind !== 'deny') return objection;
    const { server } = entry;
    throw new ToolwharfError('CALL_DENIED', `The read was denied: ${objection.reason}`, { data: { server } });
  }

  function onWaiting(call: RunningCall): Promise<void> {
    call.recorded ??= write(call, call.record);
    return call.recorded;
  }

  async function finish(record: CallRecord): Promise<void> {
    await writeRecord(record, 'after', ports);
    ports.onCall(record);
  }
}

/** Lists of tools do not apply to reads: the profile's lists of resources and prompts do. */
function toReadApproval(approval: ApprovalConfig): ApprovalConfig {
  return { ...approval, mode: approval.reads === 'ask' ? 'always-ask' : 'auto', ask: [], deny: [], trustedTools: [] };
}

/** Why a skill cannot be read without a person. */
function reasonOf({ server, definition: { frontmatter, resources } }: SkillEntry): string {
  const skill = `the skill ${frontmatter.name} of server ${server}`;
  if (resources === 'dynamic') return `${skill} is generated, so that its content cannot be verified`;
  return `${skill} changed since it was accepted`;
}

/** A read as a tool, so that approvals, rules and records treat it like a call. */
function toEntry(
  { kind, server, skill }: ContentRead,
  { findConnection }: Pick<ReaderPorts, 'findConnection'>,
  name: string = methods[kind],
): CatalogEntry {
  const spec = server === undefined ? undefined : findConnection(server)?.spec;
  if (!spec && server !== undefined)
    throw new ToolwharfError('NOT_FOUND', `There is no server '${server}'`, { data: { server } });
  const subject = skill ? `the skill ${skill.entry.definition.frontmatter.name}` : `a ${kind}`;
  const description = server === undefined ? `Reads ${subject}` : `Reads ${subject} of server ${server}`;
  return {
    name,
    originalName: name,
    scope: noScope,
    server,
    serverAddress: spec && toServerAddress(spec),
    serverTrusted: false,
    definition: { name, description, inputSchema: { type: 'object' } },
    limits: { maxInstances: 1, timeoutMs: spec?.timeoutMs ?? localTimeoutMs },
    paramHeaders: [],
    ...(skill ? versionOf(skill.entry) : { definitionHash: name }),
  };
}

const localTimeoutMs = 30_000;

/** The version of a skill that an approval is bound to. No rule holds for content that is generated anew. */
function versionOf(entry: SkillEntry): Pick<CatalogEntry, 'definitionHash' | 'changed' | 'changes' | 'accepted'> {
  const { definition, definitionHash, changed, changes, accepted } = entry;
  const isGenerated = definition.resources === 'dynamic' && changed !== undefined;
  return { definitionHash: isGenerated ? createId() : definitionHash, changed, changes, accepted };
}

const noScope: CatalogEntry['scope'] = { naming: 'mcp', servers: [], localTools: new Set() };
