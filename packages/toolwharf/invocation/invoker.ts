import { setImmediate as nextTurn } from 'node:timers/promises';
import { messageOf, ToolwharfError, toToolwharfError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { ToolboxConfig } from '../../contract/settings/config.ts';
import { serverDefaults } from '../../contract/settings/defaults.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { toServerAddress } from '../connections/protocol-cache.ts';
import type { AbortSource } from '../kernel/abort-source.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import { isoTime } from '../kernel/clock.ts';
import { createId } from '../kernel/create-id.ts';
import { evictOldest } from '../kernel/evict-oldest.ts';
import { overrideMembers } from '../kernel/override-members.ts';
import type { CallOptions, ToolResult } from '../kernel/tool.ts';
import { toolIdOf } from '../kernel/tool-id.ts';
import { abortable, holdProcess, releaseProcess } from '../kernel/wait.ts';
import type { ApprovalAnswer } from '../policy/approval.ts';
import { measureJson } from '../policy/measure-json.ts';
import type { ChangeResult, Objection } from '../policy/review.ts';
import { createArgumentBudget } from './argument-budget.ts';
import { askForAccess } from './ask-approval.ts';
import {
  type Authorization,
  type AuthorizePorts,
  authorize,
  authorizeAgain,
  type CallPolicy,
  reauthorize,
  reserveCall,
  toDenial,
} from './authorize.ts';
import { type Call, type CallHost, createRunningCalls, programCaller, RunningCall, type RunningCalls } from './call.ts';
import { endingFor, endingOf, toCallError } from './call-ending.ts';
import type { CallParent, CallRecord, CallStep, CallTask } from './call-record.ts';
import { maxJsonDepth, readInput } from './check-start.ts';
import { continuedElsewhere, createHandOver, finishUnsent } from './continued-elsewhere.ts';
import { assignAccount, type DispatchPorts, dispatch } from './dispatch.ts';
import { hideSecrets } from './hide-secrets.ts';
import { runOnce } from './idempotency.ts';
import { assertHeld, failJournal, isHeld, type Journal, writeRecord } from './journal.ts';
import {
  type CallerLimits,
  type Permit,
  type PermitCaller,
  type Permits,
  permitKeyOf,
  releaseWhenAnswered,
} from './permits.ts';
import { addChanges, toPluginCall } from './plugin-call.ts';
import { showArguments } from './prepare-arguments.ts';
import { countCall, type Rates } from './rates.ts';
import type { ReadTarget } from './read-target.ts';
import { createSearchRecorder } from './record-search.ts';
import { canRestore, redactError, redactInput, redactResult, restoreMasks } from './redact-call.ts';
import { resolveReferences } from './references.ts';
import type { Results } from './results.ts';
import { createStepRunner, isComposed, type ScriptRunner } from './run-steps.ts';
import { failureResult, shapeResult } from './shape-result.ts';

/** How a call is made. */
export interface StartOptions extends CallOptions {
  /** Approves the call, answers the server's questions, receives progress and log messages. */
  readonly host?: CallHost;
  /** The call or answer that this call is a part of. */
  readonly parent?: CallParent;
  /** The id of the call, which no other call may have; a new one by default. */
  readonly id?: string;
}

/** Options of a call on behalf of a caller with its own policy. */
export interface InternalStartOptions extends Omit<StartOptions, 'signal'> {
  readonly signal?: AbortSource;
  /** No other call has the id, unless that call is to be continued. Otherwise the journal is asked. */
  readonly isIdFree?: boolean;
  /** The caller's permissions; the toolbox's own approval settings by default. */
  readonly policy?: CallPolicy;
  /** The policy at a later time, for a call that has waited. Rejects when the caller has lost its access. */
  readonly refreshPolicy?: () => CallPolicy | Promise<CallPolicy>;
  /** The limits of the caller's calls; only those for all callers by default. */
  readonly callerLimits?: CallerLimits;
  /** The caller's name for the tool, used in messages; its exposed name by default. */
  readonly calledAs?: string;
  /** The name of the caller's profile. If the replica is lost, another one continues a call that waits for approval. */
  readonly profile?: string;
  /** The record of a call that waited for approval on a replica that is gone. */
  readonly resumed?: CallRecord;
  /** The task that is this call. */
  readonly task?: CallTask;
  /** The position of the call in the script that makes it. */
  readonly step?: CallStep;
  /** What the call reads instead of calling a tool. Its `entry` and arguments are those of the call. */
  readonly read?: ReadTarget;
  /** Members of the client's request that the protocol does not define, which the server gets too. */
  readonly extraParams?: JsonObject;
}

export interface InvokerPorts
  extends Omit<AuthorizePorts, 'onWaiting' | 'onRegistered' | 'validationOf' | 'addressOf' | 'resolve'>,
    DispatchPorts {
  readonly settings: () => ToolboxConfig;
  readonly permits: Permits;
  /** Permits of composed tools: a call that waits for a step must not hold a permit that the step needs. */
  readonly composedPermits: Permits;
  readonly rates: Rates;
  readonly journal: Journal;
  readonly results: Results;
  /** Undefined if tools that are scripts cannot run here. */
  readonly scripts?: ScriptRunner;
  /** The change of results by plugins; undefined if none changes them. */
  readonly changeResult?: () => ChangeResult | undefined;
  /** Whether plugins show a tool to callers without a policy of their own; undefined if none hides tools. */
  readonly isListed?: () => ((tool: CatalogEntry) => boolean) | undefined;
  /** Receives the record of a call whenever it is received, dispatched or ended. */
  readonly onCall: (record: CallRecord) => void;
}

export interface Invoker {
  /** Starts a call of a tool, or a read. Never throws, and never runs a tool twice for one call. */
  start(entry: CatalogEntry, args: unknown, options?: InternalStartOptions): Call;
  /** The calls that have not ended. */
  readonly calls: Pick<RunningCalls, 'find' | 'list'>;
  /**
   * Asks for approval of something that a server wants, with the latest of its calls that run. Resolves with the call and the answer;
   * undefined if it runs none.
   */
  askForAccess(
    server: string,
    question: { readonly access: string; readonly reason: string },
    signal: AbortSignal,
  ): Promise<{ readonly callId: string; readonly tool: string; readonly answer: ApprovalAnswer } | undefined>;
  /** Stops waiting for approvals. Other replicas continue the calls, if the journal is shared. */
  handOver(): void;
  /** Resolves when all calls of these servers, and of tools that call others, have ended or wait for approval. */
  ended(servers: readonly string[]): Promise<void>;
}

const noHost: CallHost = {};
const maxApprovals = 3;
const maxUnrecorded = 10_000;

export function createInvoker(ports: InvokerPorts): Invoker {
  const calls = createRunningCalls();
  /** Calls with an idempotency key that were not sent, and whose end could not be recorded. */
  const unrecorded = new Set<string>();
  const now = () => isoTime(ports.clock.now());
  const onListenerError = (cause: unknown) =>
    ports.log.error('call.listener-failed', `A listener of a call failed: ${messageOf(cause)}`);
  const authorizePorts: AuthorizePorts = {
    ...ports,
    onWaiting: recordWaiting,
    onRegistered: recordAwaited,
    validationOf: (server) => ports.findConnection(server)?.spec.validation ?? 'strict',
    addressOf(server) {
      const spec = ports.findConnection(server)?.spec;
      return spec && toServerAddress(spec);
    },
    async resolve(call, entry, args) {
      const budget = ports.argumentLimits && createArgumentBudget(ports.argumentLimits);
      const resolved = await resolveReferences(args, call.caller.id, ports.results.find, budget);
      call.references = [...new Set([...(call.references ?? []), ...resolved.calls])];
      const redact = ports.redact?.();
      return canRestore(entry, redact) ? restoreMasks(call, entry, resolved, redact) : resolved;
    },
  };

  async function askAboutAccess(...[server, { access, reason }, signal]: Parameters<Invoker['askForAccess']>) {
    const call = calls.list().findLast(({ record, state }) => record.server === server && state === 'running');
    const entry = call && ports.catalog.find({ server, tool: call.record.originalName });
    if (!call || !entry) return undefined;
    const { expiresMs } = ports.settings().approval;
    const { arguments: args } = call.record;
    // The answer can change what the server may do for everybody.
    const approval = { approvers: 'admins' as const, expiresMs };
    const question = { entry, args, access, reason, approval };
    return {
      callId: call.id,
      tool: call.record.originalName,
      answer: await askForAccess(call, question, signal, authorizePorts),
    };
  }

  function start(entry: CatalogEntry, given: unknown, wanted: InternalStartOptions = {}): Call {
    const read = readInput(given);
    const redact = ports.redact?.();
    const { options, problem: metaProblem } = readMeta(wanted);
    const {
      id = createId(),
      caller = programCaller,
      parent,
      idempotencyKey,
      calledAs,
      task,
      step,
      profile,
      resumed,
      read: target,
      extraParams,
    } = options;
    const host = hostOf(options);
    const outer = parent?.kind === 'call' ? calls.find(parent.id) : undefined;
    const args = isObject(read.input) && !redact ? showArguments(entry, read.input) : {};
    const call = new RunningCall({
      id,
      entry,
      read: target,
      calledAs,
      arguments: args,
      extraParams,
      caller,
      host,
      parent,
      outer,
      idempotencyKey,
      task,
      step,
      profile,
      viewer: profile ?? options.policy?.profile,
      resumed,
      replica: ports.journal.replica,
      save,
      onListenerError,
      now,
    });
    call.epoch = ports.journal.lease?.epoch;
    const { input, problem } = redact ? redactInput(call, entry, read, redact) : read;
    call.problem = problem ?? metaProblem;
    call.result = track(call, entry, input, options);
    return call;
  }

  /** Registers the call while it runs, lets the caller's signal cancel it, and runs it once for its idempotency key. */
  function track(
    call: RunningCall,
    entry: CatalogEntry,
    input: unknown,
    options: InternalStartOptions,
  ): Promise<ToolResult> {
    const { id } = call;
    const { signal, idempotencyKey: key } = options;
    const holder = calls.find(id);
    if (holder && !isRepetition(call, holder)) return Promise.resolve(end(call, failed(id, idInUse())));
    if (!holder) calls.add(call);
    holdProcess();
    const onAbort = signal && (() => call.abort(signal.reason));
    if (signal?.aborted) onAbort?.();
    else if (onAbort) signal?.addEventListener('abort', onAbort);
    const settle = (result: ToolResult) => {
      releaseProcess();
      end(call, result);
      if (!holder) calls.delete(id);
      if (onAbort) signal?.removeEventListener('abort', onAbort);
      return result;
    };
    const isChosen = options.id !== undefined && !options.isIdFree && !options.resumed;
    const running =
      key === undefined && !isChosen
        ? run(call, entry, input, options)
        : runUnlessUsed(call, entry, input, options, isChosen);
    return running.then(settle, (cause) => settle(failed(id, toCallError(cause, call.aborting))));
  }

  /** Runs a call with an idempotency key or an id that its caller chose, unless that key or id was used for another call. */
  async function runUnlessUsed(
    call: RunningCall,
    entry: CatalogEntry,
    input: unknown,
    options: InternalStartOptions,
    isChosen: boolean,
  ): Promise<ToolResult> {
    const { idempotencyKey: key } = call;
    if (isChosen) await assertIdFree(call, ports.journal);
    // Arguments that cannot be read, or are nested too deeply, cannot be compared. The call is refused and recorded without its key.
    if (key === undefined || call.problem || isTooDeep([input])) return run(call, entry, input, options);
    const keyPorts = {
      journal: ports.journal,
      calls,
      isUnrecorded: (id: string) => unrecorded.has(id),
      async onClaimFailed(cause: ToolwharfError) {
        // The record of an earlier call with an id that its caller chose, and that of a call to be continued, stay.
        if (!isChosen && !options.resumed) await endUnsent(call, call.end(endingFor(cause)), cause);
      },
    };
    return runOnce(call, { key, entry, input }, keyPorts, () => run(call, entry, input, options));
  }

  /** Ends a call that was not sent. Returns false if its end could not be recorded. */
  async function endUnsent(call: RunningCall, record: CallRecord, error: ToolwharfError): Promise<boolean> {
    if (await finishUnsent(call, record, error, ports)) return true;
    unrecorded.add(call.id);
    evictOldest(unrecorded, maxUnrecorded);
    return false;
  }

  function end(call: RunningCall, result: ToolResult): ToolResult {
    call.setState('ended');
    if (call.hasListeners) call.emit({ type: 'ended', result });
    return result;
  }

  /** The call from authorization to its result. Awaits only what is not there yet, since every `await` costs. */
  async function run(
    call: RunningCall,
    entry: CatalogEntry,
    input: unknown,
    options: InternalStartOptions,
  ): Promise<ToolResult> {
    let permit: Permit | undefined;
    let wasSent = false;
    let isAwaiting = false;
    let returned: JsonObject | undefined;
    try {
      ports.onCall(call.record);
      call.aborting.throwIfAborted();
      if (call.problem) throw call.problem;
      const authorizing = authorize(call, entry, input, options.policy ?? ownPolicy(), authorizePorts);
      let authorization = authorizing instanceof Promise ? await authorizing : authorizing;
      // A person may have to connect an account first, so the call has no permit yet.
      const choosing = assignAccount(call, entry.server, options.meta, ports);
      if (choosing) await choosing;
      permit = takePermit(call, entry, options);
      // A call that waited, for a person or for a permit, is authorized again at the moment it could be dispatched.
      const isWaiting = !permit || choosing !== undefined || authorization.approved !== undefined;
      const reserving = isWaiting ? undefined : reserve(call, authorization);
      if (!permit || isWaiting || (reserving && (await reserving)))
        ({ permit, authorization } = await queue(call, entry, authorization, permit, options));
      if (permit.onExpired) permit.onExpired(() => call.deadline?.expire());
      const counting = countCall(authorization.entry, ports);
      if (counting) await counting;
      if (call.recorded) await call.recorded;
      isAwaiting = call.record.awaiting !== undefined;
      const started = call.start(authorization.args.shown, authorization.rule);
      call.recorded = writeRecord(started, 'before', ports, call.epoch);
      await call.recorded;
      wasSent = true;
      ports.onCall(started);
      assertHeld(ports.journal, call.epoch);
      const steps = entry.local || entry.script ? stepsOf(call, entry, withPolicy(options)) : undefined;
      const raw = await dispatch(call, authorization, options.meta, steps, ports);
      const { read } = call;
      if (read) {
        returned = mayChange() ? await changeResult(call, authorization, raw) : raw;
        return await endRead(call, read, returned);
      }
      const { id: callId, caller } = call;
      const { isSecret, store } = ports.results;
      const hidden = hideSecrets(raw, authorization.entry, { callId, caller: caller.id, store, isSecret });
      const shown = mayChange() ? await changeResult(call, authorization, hidden) : hidden;
      const { result, whole } = shapeResult(shown, {
        callId,
        maxResultBytes: ports.settings().maxResultBytes,
        hasOutputSchema: authorization.entry.definition.outputSchema !== undefined,
      });
      if (whole) {
        store.add(callId, caller.id, whole, result.truncated?.totalBytes ?? 0);
        // Journalling a large result takes long. Other requests are served first.
        await nextTurn();
      }
      const ended = call.end(endingOf(result));
      returned = ended.result as JsonObject | undefined;
      await writeEnd(call, ended);
      ports.onCall(ended);
      return result;
    } catch (cause) {
      const redact = ports.redact?.();
      const toShown = (one: ToolwharfError) => (redact ? redactError(call, entry, one, redact) : one);
      const failure = toCallError(cause, call.aborting);
      const error = await toShown(failure);
      // A reader gets the server's own error.
      if (call.read) {
        const isOwn = cause instanceof ToolwharfError && cause !== failure;
        call.read.failure = isOwn ? await toShown(cause) : error;
      }
      // A record that is nested too deeply could not be written.
      if (error.code === 'ARGUMENTS_INVALID' && isTooDeep(call.record.arguments))
        call.record = { ...call.record, arguments: {} };
      isAwaiting ||= call.record.awaiting !== undefined;
      // The record was written before the call was to be sent.
      if (!call.mayHaveRun) call.record = { ...call.record, startedAt: undefined };
      const ended = call.end(endingFor(error));
      if (wasSent || !(isAwaiting || call.idempotencyKey !== undefined)) {
        await writeEnd(call, ended);
        ports.onCall(ended);
      } else if (isAwaiting) {
        if (!(await finishUnsent(call, ended, error, ports))) return failed(call.id, continuedElsewhere());
      } else await endUnsent(call, ended, error);
      return failed(call.id, error);
    } finally {
      const { unanswered, reservation, ranMs } = call;
      if (reservation) {
        const outcome = returned ? 'ran' : call.mayHaveRun ? 'unknown' : 'unsent';
        await reservation.settle({ outcome, result: returned, ranMs });
      }
      if (permit && unanswered) releaseWhenAnswered(permit, unanswered, graceOf(entry));
      else permit?.[Symbol.dispose]();
    }
  }

  /** Undefined at once if no plugin reserves. Resolves with an objection if the call needs approval first. */
  function reserve(call: RunningCall, authorization: Authorization): Promise<Objection | undefined> | undefined {
    const reserving = ports.reserve?.();
    return reserving && reserveCall(reserving, call, authorization, ports);
  }

  const mayChange = () => ports.changeResult?.() !== undefined || ports.redact?.() !== undefined;

  /** The result as plugins pass, change or redact it. The calls that a built-in tool makes have passed the plugins. */
  async function changeResult(
    call: RunningCall,
    { entry, args }: Authorization,
    result: JsonObject,
  ): Promise<JsonObject> {
    if (entry.isBuiltIn) return result;
    const change = ports.changeResult?.();
    const redact = ports.redact?.();
    call.mayHaveRun = true;
    const changed = change && (await abortable(change(toPluginCall(call, entry, args.values), result), call.aborting));
    if (changed) addChanges(call, 'result', changed);
    const value = changed?.value ?? result;
    return redact ? abortable(redactResult(call, entry, value, redact), call.aborting) : value;
  }

  /** The journal has no content of resources and prompts, and the reader gets the server's answer unchanged. */
  async function endRead(call: RunningCall, read: ReadTarget, answer: JsonObject): Promise<ToolResult> {
    const ended = call.end({ status: 'success' });
    await writeEnd(call, ended);
    ports.onCall(ended);
    read.answer = answer;
    return { isError: false, content: [], text: '', callId: call.id };
  }

  function graceOf({ server }: CatalogEntry): number {
    const spec = server === undefined ? undefined : ports.findConnection(server)?.spec;
    return spec?.cancelGraceMs ?? serverDefaults.cancelGraceMs;
  }

  function takePermit(call: RunningCall, entry: CatalogEntry, options: InternalStartOptions): Permit | undefined {
    const caller = permitCaller(call, entry, options);
    return permitsOf(entry).tryAcquire(keyOf(call, entry), entry.limits.maxInstances, caller);
  }

  /** Waits for a permit, unless there is one already, and authorizes the call again, as often as its tool changes meanwhile. */
  async function queue(
    call: RunningCall,
    entry: CatalogEntry,
    first: Authorization,
    immediate: Permit | undefined,
    options: InternalStartOptions,
  ): Promise<{ readonly authorization: Authorization; readonly permit: Permit }> {
    const { policy, refreshPolicy = policy ? () => policy : ownPolicy } = options;
    let authorization = first;
    let permit = immediate;
    let objection: Objection | undefined;
    try {
      for (let asked = 1; ; asked++) {
        permit ??= await waitForPermit(call, entry, permitCaller(call, entry, options));
        const current = await refreshPolicy();
        const renewed = await reauthorize(call, authorization, current, authorizePorts);
        objection = renewed && (await reserve(call, renewed));
        if (renewed && !objection) return { authorization: renewed, permit };
        permit[Symbol.dispose]();
        if (asked >= maxApprovals && objection) throw toDenial(call, authorization.entry, objection);
        if (asked >= maxApprovals)
          throw new ToolwharfError('TOOL_CHANGED', `${call.calledAs} keeps changing while it is being approved`);
        const { entry: changed, args } = authorization;
        const latest = call.read?.current() ?? ports.catalog.find(toolIdOf(changed)) ?? changed;
        authorization = await authorizeAgain(call, latest, args, current, authorizePorts);
        const choosing = assignAccount(call, entry.server, options.meta, ports);
        if (choosing) await choosing;
        permit = takePermit(call, entry, options);
        if (permit && !choosing && !authorization.approved && !ports.reserve?.()) return { authorization, permit };
      }
    } catch (cause) {
      permit?.[Symbol.dispose]();
      throw cause;
    }
  }

  /** The steps of a call have its policy, so that they do not find what plugins hide. */
  function withPolicy(options: InternalStartOptions): InternalStartOptions {
    if (options.policy || !ports.isListed?.()) return options;
    return { ...options, policy: ownPolicy(), refreshPolicy: options.refreshPolicy ?? ownPolicy };
  }

  const ownPolicy = (): CallPolicy => ({ approval: ports.settings().approval, mayUse: ports.isListed?.() });

  async function waitForPermit(call: RunningCall, entry: CatalogEntry, caller: PermitCaller): Promise<Permit> {
    const { limits } = entry;
    const key = keyOf(call, entry);
    call.setState('queued');
    // Not awaited: queueing must not depend on the disk. Dispatch waits for it.
    recordWaiting(call).catch(() => {});
    // Waiting has its own limit, so that a stuck queue releases its callers.
    const timeout = AbortSignal.timeout(limits.timeoutMs);
    try {
      return await permitsOf(entry).acquire(key, limits.maxInstances, {
        signal: AbortSignal.any([call.signal, timeout]),
        caller,
      });
    } catch (cause) {
      if (call.signal.aborted || !timeout.aborted) throw cause;
      const { limit, text } = permitsOf(entry).explainWait(key, limits.maxInstances, caller);
      const message = `${call.calledAs} waited ${limits.timeoutMs} ms for a permit and was not started: ${text}`;
      throw new ToolwharfError('CALL_TIMED_OUT', message, { cause, data: { phase: 'queued', limit } });
    }
  }

  /** Records a waiting call before dispatch. Other calls are recorded at dispatch, which follows at once. */
  function recordWaiting(call: RunningCall): Promise<void> {
    call.recorded ??= writeRecord(call.record, 'before', ports, call.epoch);
    return call.recorded;
  }

  /** Records the data with which another replica continues the call. */
  async function recordAwaited(call: RunningCall, approval: string): Promise<void> {
    const { profile, calledAs } = call;
    if (profile === undefined || !ports.journal.isShared) return;
    call.record = { ...call.record, awaiting: { approval, profile, calledAs } };
    await writeCurrent(call);
  }

  /** Writes the current record after the writes before, unless the call has ended meanwhile. */
  function writeCurrent(call: RunningCall): Promise<void> {
    const before = call.recorded;
    call.recorded = (async () => {
      await before;
      if (call.record.completedAt === undefined) await writeRecord(call.record, 'before', ports, call.epoch);
    })();
    return call.recorded;
  }

  /** Writes and publishes the current record. A call that gets the result of an earlier one has no record. */
  async function save(call: RunningCall): Promise<void> {
    if (call.claimed && !(await call.claimed)) return;
    await writeCurrent(call);
    if (call.record.completedAt === undefined) ports.onCall(call.record);
  }

  function writeEnd(call: RunningCall, record: CallRecord): Promise<void> {
    // The call may have become a task a moment ago.
    if (record.task && call.recorded) return call.recorded.catch(() => {}).then(() => writeLast(call, record));
    return writeLast(call, record);
  }

  function writeLast(call: RunningCall, record: CallRecord): Promise<void> {
    // Another replica continues a script whose replica lost its lease.
    const isLost = record.script !== undefined && !isHeld(ports.journal, call.epoch);
    return isLost ? Promise.resolve() : writeRecord(record, 'after', ports);
  }

  async function ended(servers: readonly string[]): Promise<void> {
    const isMeant = ({ state, record: { server } }: RunningCall) =>
      state !== 'awaiting-approval' && (server === undefined || servers.includes(server));
    for (let running = calls.list().filter(isMeant); running.length > 0; running = calls.list().filter(isMeant))
      await Promise.all(running.map(({ result }) => result));
  }

  const handOver = createHandOver(calls, ports.journal);
  const stepsOf = createStepRunner({ ...ports, start, recordSearch: createSearchRecorder(ports) });
  const permitsOf = (entry: CatalogEntry) => (isComposed(entry) ? ports.composedPermits : ports.permits);

  return { start, calls, askForAccess: askAboutAccess, handOver, ended };
}

/** Options with the `_meta` that will be sent, or why it cannot be sent. */
function readMeta(options: InternalStartOptions) {
  if (!options.meta) return { options };
  const { input: meta, problem } = readInput(options.meta, '`meta`');
  return { problem, options: meta === options.meta ? options : { ...options, meta: meta as JsonObject } };
}

/** Whether a value is nested too deeply to be hashed, recorded or sent. */
function isTooDeep(value: unknown): boolean {
  return measureJson(value, { maxBytes: Number.POSITIVE_INFINITY, maxDepth: maxJsonDepth }).exceeded !== undefined;
}

/** The host of a call; `onProgress` of the options is short for that of the host. */
function hostOf({ host = noHost, onProgress }: InternalStartOptions): CallHost {
  return onProgress ? overrideMembers(host, { onProgress }) : host;
}

function keyOf({ read }: RunningCall, entry: CatalogEntry): string {
  return read ? read.permitKey : permitKeyOf(entry);
}

/** A composed tool holds its permit while its steps need permits too, so the caller's limits apply to the steps only. */
function permitCaller({ caller }: RunningCall, entry: CatalogEntry, options: InternalStartOptions): PermitCaller {
  const limits = isComposed(entry) ? undefined : options.callerLimits;
  return { id: caller.id, limits, timeoutMs: entry.limits.timeoutMs };
}

/** Whether a call repeats a call with the same id, which only a call with the same idempotency key does. */
function isRepetition(
  { idempotencyKey: key, caller }: RunningCall,
  before: Pick<CallRecord, 'idempotencyKey' | 'caller'>,
): boolean {
  return key !== undefined && before.idempotencyKey === key && before.caller.id === caller.id;
}

/** Rejects if another call has the id of a call, which its caller chose. */
async function assertIdFree(call: RunningCall, journal: Journal): Promise<void> {
  const { id, caller, idempotencyKey: key, epoch } = call;
  const before = await journal.get(id).catch(failJournal);
  if (before && !isRepetition(call, before)) throw idInUse();
  if (!journal.isShared) return;
  // Another process may receive a call with the same id at the same moment. Ids belong to no caller.
  const fingerprint = hashOf([caller.id, key]);
  const holder = await journal.claim({ caller: '', key: id, fingerprint, callId: id, epoch }).catch(failJournal);
  if (holder && (key === undefined || holder.fingerprint !== fingerprint)) throw idInUse();
}

function idInUse(): ToolwharfError {
  return new ToolwharfError('CONFLICT', 'There is already a call with this id: choose another');
}

function failed(callId: string, cause: unknown): ToolResult {
  const { code, message, data } = toToolwharfError(cause);
  return failureResult(callId, code, message, data);
}
