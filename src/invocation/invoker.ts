import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { ToolboxConfig } from '../config/config.ts';
import type { AbortSource } from '../kernel/abort-source.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import { isoTime } from '../kernel/clock.ts';
import { createId } from '../kernel/create-id.ts';
import { ToolwharfError, toToolwharfError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type { CallOptions, ToolResult } from '../kernel/tool.ts';
import { toolIdOf } from '../kernel/tool-id.ts';
import { measureJson } from '../policy/measure-json.ts';
import { type Authorization, type AuthorizePorts, authorize, type CallPolicy, reauthorize } from './authorize.ts';
import { type Call, type CallHost, createRunningCalls, programCaller, RunningCall, type RunningCalls } from './call.ts';
import { endingFor, endingOf, toCallError } from './call-ending.ts';
import type { CallParent, CallRecord, CallStep, CallTask } from './call-record.ts';
import { continuedElsewhere, createHandOver, finishUnsent } from './continued-elsewhere.ts';
import { assignAccount, type DispatchPorts, dispatch } from './dispatch.ts';
import { hideSecrets } from './hide-secrets.ts';
import { runOnce } from './idempotency.ts';
import { assertHeld, isHeld, type Journal, writeRecord } from './journal.ts';
import { type CallerLimits, type Permit, type PermitCaller, type Permits, permitKeyOf } from './permits.ts';
import { countCall, type Rates } from './rates.ts';
import { createSearchRecorder } from './record-search.ts';
import { hasReferences, resolveReferences } from './references.ts';
import type { Results } from './results.ts';
import { createStepRunner, isComposed, type ScriptRunner } from './run-steps.ts';
import { failureResult, shapeResult } from './shape-result.ts';

/** How a call is made. */
export interface StartOptions extends CallOptions {
  /** Approves the call, answers the server's questions, receives progress and log messages. */
  readonly host?: CallHost;
  /** The call or answer that this call is a part of. */
  readonly parent?: CallParent;
  /** The id of the call; a new one by default. */
  readonly id?: string;
}

/** Options of a call on behalf of a caller with its own policy. */
export interface InternalStartOptions extends Omit<StartOptions, 'signal'> {
  readonly signal?: AbortSource;
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
}

export interface InvokerPorts
  extends Omit<AuthorizePorts, 'onWaiting' | 'onRegistered' | 'validationOf' | 'resolve'>,
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
  /** Receives the record of a call whenever it is received, dispatched or ended. */
  readonly onCall: (record: CallRecord) => void;
}

export interface Invoker {
  /** Starts a call. Never throws, and never runs a tool twice for one call. */
  start(entry: CatalogEntry, args: unknown, options?: InternalStartOptions): Call;
  /** The calls that have not ended. */
  readonly calls: Pick<RunningCalls, 'find' | 'list'>;
  /** Stops waiting for approvals. Other replicas continue the calls, if the journal is shared. */
  handOver(): void;
}

const noHost: CallHost = {};
const maxApprovals = 3;
const maxJsonDepth = 500;

export function createInvoker(ports: InvokerPorts): Invoker {
  const calls = createRunningCalls();
  const now = () => isoTime(ports.clock.now());
  const authorizePorts: AuthorizePorts = {
    ...ports,
    onWaiting: recordWaiting,
    onRegistered: recordAwaited,
    validationOf: (server) => ports.findConnection(server)?.spec.validation ?? 'strict',
    resolve: ({ caller }, args) => resolveReferences(args, caller.id, ports.results.find),
  };

  function start(entry: CatalogEntry, input: unknown, options: InternalStartOptions = {}): Call {
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
    } = options;
    const host = hostOf(options);
    const outer = parent?.kind === 'call' ? calls.find(parent.id) : undefined;
    const args = isObject(input) ? input : {};
    const call = new RunningCall({
      id,
      entry,
      calledAs,
      arguments: args,
      caller,
      host,
      parent,
      outer,
      idempotencyKey,
      task,
      step,
      profile,
      resumed,
      replica: ports.journal.replica,
      save,
      now,
    });
    call.epoch = ports.journal.lease?.epoch;
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
    const isDuplicate = calls.find(id) !== undefined;
    if (isDuplicate && key === undefined) {
      const message = 'There is already a call with this id: choose another';
      return Promise.resolve(end(call, failureResult(id, 'CONFLICT', message)));
    }
    if (!isDuplicate) calls.add(call);
    const onAbort = signal && (() => call.abort(signal.reason));
    if (signal?.aborted) onAbort?.();
    else if (onAbort) signal?.addEventListener('abort', onAbort);
    const settle = (result: ToolResult) => {
      end(call, result);
      if (!isDuplicate) calls.delete(id);
      if (onAbort) signal?.removeEventListener('abort', onAbort);
      return result;
    };
    const running = key === undefined ? run(call, entry, input, options) : runForKey(key, call, entry, input, options);
    return running.then(settle, (cause) => settle(failed(id, toCallError(cause, call.aborting))));
  }

  async function runForKey(
    key: string,
    call: RunningCall,
    entry: CatalogEntry,
    input: unknown,
    options: InternalStartOptions,
  ): Promise<ToolResult> {
    const { id, caller, epoch } = call;
    const request = [toolIdOf(entry), input];
    // A request that is nested too deeply cannot be compared. It is refused and recorded without its key.
    if (isTooDeep(request)) return run(call, entry, input, options);
    const claim = { caller: caller.id, key, fingerprint: hashOf(request), callId: id, epoch };
    return runOnce(call, claim, { journal: ports.journal, calls }, () => run(call, entry, input, options));
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
    try {
      ports.onCall(call.record);
      call.aborting.throwIfAborted();
      if (options.meta && isTooDeep(options.meta))
        throw new ToolwharfError('ARGUMENTS_INVALID', `_meta is nested more than ${maxJsonDepth} levels deep`);
      const authorizing = authorize(call, entry, input, options.policy ?? ownPolicy(), authorizePorts);
      let authorization = authorizing instanceof Promise ? await authorizing : authorizing;
      // A person may have to connect an account first, so the call has no permit yet.
      const choosing = assignAccount(call, entry.server, options.meta, ports);
      if (choosing) await choosing;
      permit = takePermit(call, entry, options);
      // A call that waited, for a person or for a permit, is authorized again at the moment it could be dispatched.
      if (!permit || choosing || authorization.approvedHash !== undefined)
        ({ permit, authorization } = await queue(call, entry, authorization, permit, options));
      if (permit.onExpired) permit.onExpired(() => call.deadline?.expire());
      const counting = countCall(authorization.entry, ports);
      if (counting) await counting;
      if (call.recorded) await call.recorded;
      const dispatched = needsValues(authorization) ? await withValues(call, authorization) : authorization;
      isAwaiting = call.record.awaiting !== undefined;
      const started = call.start(authorization.args, authorization.rule);
      call.recorded = writeRecord(started, 'before', ports, call.epoch);
      await call.recorded;
      wasSent = true;
      ports.onCall(started);
      assertHeld(ports.journal, call.epoch);
      const steps = entry.local || entry.script ? stepsOf(call, entry, options) : undefined;
      const raw = await dispatch(call, dispatched, options.meta, steps, ports);
      const { id: callId, caller } = call;
      const { isSecret, store } = ports.results;
      const shown = hideSecrets(raw, dispatched.entry, { callId, caller: caller.id, store, isSecret });
      const { result, whole } = shapeResult(shown, { callId, maxResultBytes: ports.settings().maxResultBytes });
      if (whole) {
        store.add(callId, caller.id, whole, result.truncated?.totalBytes ?? 0);
        // Journalling a large result takes long. Other requests are served first.
        await nextTurn();
      }
      const ended = call.end(endingOf(result));
      await writeEnd(call, ended);
      ports.onCall(ended);
      return result;
    } catch (cause) {
      const error = toCallError(cause, call.aborting);
      // A record that is nested too deeply could not be written.
      if (error.code === 'ARGUMENTS_INVALID' && isTooDeep(call.record.arguments))
        call.record = { ...call.record, arguments: {} };
      isAwaiting ||= call.record.awaiting !== undefined;
      const ended = call.end(endingFor(error));
      if (wasSent || !(isAwaiting || call.idempotencyKey !== undefined)) {
        await writeEnd(call, ended);
        ports.onCall(ended);
      } else if (!(await finishUnsent(call, ended, error, ports)) && isAwaiting)
        return failed(call.id, continuedElsewhere());
      return failed(call.id, error);
    } finally {
      permit?.[Symbol.dispose]();
    }
  }

  function takePermit(call: RunningCall, entry: CatalogEntry, options: InternalStartOptions): Permit | undefined {
    const caller = permitCaller(call, entry, options);
    return permitsOf(entry).tryAcquire(permitKeyOf(entry), entry.limits.maxInstances, caller);
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
    try {
      for (let asked = 1; ; asked++) {
        permit ??= await waitForPermit(call, entry, permitCaller(call, entry, options));
        const current = await refreshPolicy();
        const renewed = await reauthorize(call, authorization, current, authorizePorts);
        if (renewed) return { authorization: renewed, permit };
        permit[Symbol.dispose]();
        if (asked >= maxApprovals)
          throw new ToolwharfError('TOOL_CHANGED', `${call.calledAs} keeps changing while it is being approved`);
        const { entry: changed, args } = authorization;
        const latest = ports.catalog.find(toolIdOf(changed)) ?? changed;
        authorization = await authorize(call, latest, args, current, authorizePorts);
        const choosing = assignAccount(call, entry.server, options.meta, ports);
        if (choosing) await choosing;
        permit = takePermit(call, entry, options);
        if (permit && !choosing && authorization.approvedHash === undefined) return { authorization, permit };
      }
    } catch (cause) {
      permit?.[Symbol.dispose]();
      throw cause;
    }
  }

  const ownPolicy = (): CallPolicy => ({ approval: ports.settings().approval });

  /** The authorization with the values of the references in its arguments. */
  async function withValues(call: RunningCall, authorization: Authorization): Promise<Authorization> {
    return { ...authorization, args: await authorizePorts.resolve(call, authorization.args) };
  }

  async function waitForPermit(call: RunningCall, entry: CatalogEntry, caller: PermitCaller): Promise<Permit> {
    const { limits } = entry;
    call.setState('queued');
    // Not awaited: queueing must not depend on the disk. Dispatch waits for it.
    recordWaiting(call).catch(() => {});
    // Waiting has its own limit, so that a stuck queue releases its callers.
    const timeout = AbortSignal.timeout(limits.timeoutMs);
    try {
      return await permitsOf(entry).acquire(permitKeyOf(entry), limits.maxInstances, {
        signal: AbortSignal.any([call.signal, timeout]),
        caller,
      });
    } catch (cause) {
      if (call.signal.aborted || !timeout.aborted) throw cause;
      const message = `No permit became free for ${call.calledAs} within ${limits.timeoutMs} ms; it was not started`;
      throw new ToolwharfError('CALL_TIMED_OUT', message, { cause });
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

  const handOver = createHandOver(calls, ports.journal);
  const stepsOf = createStepRunner({ ...ports, start, recordSearch: createSearchRecorder(ports) });
  const permitsOf = (entry: CatalogEntry) => (isComposed(entry) ? ports.composedPermits : ports.permits);

  return { start, calls, handOver };
}

/** Whether a value is nested too deeply to be hashed, recorded or sent. */
function isTooDeep(value: unknown): boolean {
  return measureJson(value, { maxBytes: Number.POSITIVE_INFINITY, maxDepth: maxJsonDepth }).exceeded !== undefined;
}

/** The host of a call; `onProgress` of the options is short for that of the host. */
function hostOf({ host = noHost, onProgress }: InternalStartOptions): CallHost {
  return onProgress ? Object.create(host, { onProgress: { value: onProgress } }) : host;
}

/** A composed tool holds its permit while its steps need permits too, so the caller's limits apply to the steps only. */
function permitCaller({ caller }: RunningCall, entry: CatalogEntry, options: InternalStartOptions): PermitCaller {
  const limits = isComposed(entry) ? undefined : options.callerLimits;
  return { id: caller.id, limits, timeoutMs: entry.limits.timeoutMs };
}

function needsValues({ entry, args }: Authorization): boolean {
  return !entry.script && hasReferences(args);
}

function failed(callId: string, cause: unknown): ToolResult {
  const { code, message, data } = toToolwharfError(cause);
  return failureResult(callId, code, message, data);
}
