import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { RateLimit, ToolboxConfig } from '../config/config.ts';
import type { UpstreamTask } from '../connections/follow-task.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import { createId } from '../kernel/create-id.ts';
import { ToolwharfError, toToolwharfError } from '../kernel/errors.ts';
import { isoTime } from '../kernel/iso-time.ts';
import { isObject } from '../kernel/json.ts';
import type { CallOptions, ToolResult } from '../kernel/tool.ts';
import { toolIdOf, toolKey } from '../kernel/tool-id.ts';
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
import type { CallerLimits, Permit, PermitCaller, Permits } from './permits.ts';
import type { RateAnswer, Rates } from './rates.ts';
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
export interface InternalStartOptions extends StartOptions {
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
  readonly calls: Pick<RunningCalls, 'find' | 'list' | 'size'>;
  /** Stops waiting for approvals. Other replicas continue the calls, if the journal is shared. */
  handOver(): void;
}

interface TakenRate {
  readonly server: string;
  readonly rate: RateLimit;
  readonly answer: ReturnType<Rates['take']>;
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
    call.result = track(call, () => run(call, entry, input, options), options, [toolIdOf(entry), input]);
    return call;
  }

  /** Registers the call while it runs, lets the caller's signal cancel it, and runs it once for its idempotency key. */
  async function track(
    call: RunningCall,
    run: () => Promise<ToolResult>,
    { signal, idempotencyKey: key }: InternalStartOptions,
    request: readonly unknown[],
  ): Promise<ToolResult> {
    const { id, caller } = call;
    const isDuplicate = calls.find(id) !== undefined;
    if (isDuplicate && key === undefined)
      return end(call, failureResult(id, 'CONFLICT', 'There is already a call with this id: choose another'));
    if (!isDuplicate) calls.add(call);
    const onAbort = () => call.abort(signal?.reason);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort);
    try {
      // A request that is nested too deeply cannot be compared. It is refused and recorded without its key.
      if (key === undefined || isTooDeep(request)) return end(call, await run());
      const claim = { caller: caller.id, key, fingerprint: hashOf(request), callId: id, epoch: call.epoch };
      return end(call, await runOnce(call, claim, { journal: ports.journal, calls }, run));
    } catch (cause) {
      return end(call, failed(id, toCallError(cause, call.signal)));
    } finally {
      if (!isDuplicate) calls.delete(id);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  function end(call: RunningCall, result: ToolResult): ToolResult {
    call.setState('ended');
    call.emit({ type: 'ended', result });
    return result;
  }

  /** The call from authorization to its result. */
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
      call.signal.throwIfAborted();
      if (options.meta && isTooDeep(options.meta))
        throw new ToolwharfError('ARGUMENTS_INVALID', `_meta is nested more than ${maxJsonDepth} levels deep`);
      const granted = await authorizeAndQueue(call, entry, input, options);
      permit = granted.permit;
      permit.onExpired?.(() => call.deadline?.expire());
      const rate = takeRate(granted.authorization.entry);
      // Awaited only if the limit is shared with other replicas.
      if (rate) assertAccepted(rate, rate.answer instanceof Promise ? await rate.answer : rate.answer);
      await call.recorded;
      const authorization = await withValues(call, granted.authorization);
      isAwaiting = call.record.awaiting !== undefined;
      const started = call.start(granted.authorization.args, granted.authorization.rule);
      call.recorded = writeRecord(started, 'before', ports, call.epoch);
      await call.recorded;
      wasSent = true;
      ports.onCall(started);
      assertHeld(ports.journal, call.epoch);
      const inner = stepsOf(call, entry, options);
      const onTask = (task: UpstreamTask) => {
        if (call.followTask(task) && call.state !== 'ended') ports.onCall(call.record);
      };
      const raw = await dispatch(call, authorization, { meta: options.meta, ...inner, onTask }, ports);
      const { maxResultBytes } = ports.settings();
      const { id: callId, caller } = call;
      const { isSecret, store } = ports.results;
      const shown = hideSecrets(raw, authorization.entry, { callId, caller: caller.id, store, isSecret });
      const { result, whole } = shapeResult(shown, { callId, maxResultBytes });
      if (whole) {
        store.add(callId, caller.id, whole, result.truncated?.totalBytes ?? 0);
        // Journalling a large result takes long. Other requests are served first.
        await nextTurn();
      }
      await finish(call, call.end(endingOf(result)));
      return result;
    } catch (cause) {
      const error = toCallError(cause, call.signal);
      // A record that is nested too deeply could not be written.
      if (error.code === 'ARGUMENTS_INVALID' && isTooDeep(call.record.arguments))
        call.record = { ...call.record, arguments: {} };
      isAwaiting ||= call.record.awaiting !== undefined;
      const ended = call.end(endingFor(error));
      if (wasSent || !(isAwaiting || call.idempotencyKey !== undefined)) await finish(call, ended);
      else if (!(await finishUnsent(call, ended, error, ports)) && isAwaiting)
        return failed(call.id, continuedElsewhere());
      return failed(call.id, error);
    } finally {
      permit?.[Symbol.dispose]();
    }
  }

  /**
   * Authorizes the call and obtains its permit. A call that waited, for a person or for a permit, is authorized again at
   * the moment it could be dispatched.
   */
  async function authorizeAndQueue(
    call: RunningCall,
    entry: CatalogEntry,
    input: unknown,
    options: InternalStartOptions,
  ): Promise<{ readonly authorization: Authorization; readonly permit: Permit }> {
    const ownPolicy = () => ({ approval: ports.settings().approval });
    const { policy = ownPolicy(), refreshPolicy = options.policy ? () => policy : ownPolicy } = options;
    let authorization = await authorize(call, entry, input, policy, authorizePorts);
    for (let asked = 1; ; asked++) {
      // A person may have to connect an account first, so the call has no permit yet.
      const choosing = assignAccount(call, entry.server, options.meta, ports);
      if (choosing) await choosing;
      const caller = permitCaller(call, entry, options);
      const immediate = permitsOf(entry).tryAcquire(keyOf(entry), entry.limits.maxInstances, caller);
      if (immediate && !choosing && authorization.approvedHash === undefined)
        return { authorization, permit: immediate };
      const permit = immediate ?? (await waitForPermit(call, entry, caller));
      try {
        const current = await refreshPolicy();
        const renewed = await reauthorize(call, authorization, current, authorizePorts);
        if (renewed) return { authorization: renewed, permit };
        permit[Symbol.dispose]();
        if (asked >= maxApprovals)
          throw new ToolwharfError('TOOL_CHANGED', `${call.calledAs} keeps changing while it is being approved`);
        const { entry: changed, args } = authorization;
        authorization = await authorize(
          call,
          ports.catalog.find(toolIdOf(changed)) ?? changed,
          args,
          current,
          authorizePorts,
        );
      } catch (cause) {
        permit[Symbol.dispose]();
        throw cause;
      }
    }
  }

  /** The authorization with the values of the references in its arguments. */
  async function withValues(call: RunningCall, authorization: Authorization): Promise<Authorization> {
    const { entry, args } = authorization;
    if (entry.script || !hasReferences(args)) return authorization;
    return { ...authorization, args: await authorizePorts.resolve(call, args) };
  }

  async function waitForPermit(call: RunningCall, entry: CatalogEntry, caller: PermitCaller): Promise<Permit> {
    const { limits } = entry;
    call.setState('queued');
    // Not awaited: queueing must not depend on the disk. Dispatch waits for it.
    recordWaiting(call).catch(() => {});
    // Waiting has its own limit, so that a stuck queue releases its callers.
    const timeout = AbortSignal.timeout(limits.timeoutMs);
    try {
      return await permitsOf(entry).acquire(keyOf(entry), limits.maxInstances, {
        signal: AbortSignal.any([call.signal, timeout]),
        caller,
      });
    } catch (cause) {
      if (call.signal.aborted || !timeout.aborted) throw cause;
      const message = `No permit became free for ${call.calledAs} within ${limits.timeoutMs} ms; it was not started`;
      throw new ToolwharfError('CALL_TIMED_OUT', message, { cause });
    }
  }

  function takeRate({ server }: CatalogEntry): TakenRate | undefined {
    const rate = server === undefined ? undefined : ports.findConnection(server)?.spec.rate;
    return rate && server !== undefined ? { server, rate, answer: ports.rates.take(server, rate) } : undefined;
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

  async function finish(call: RunningCall, record: CallRecord): Promise<void> {
    // The call may have become a task a moment ago.
    if (record.task) await call.recorded?.catch(() => {});
    // Another replica continues a script whose replica lost its lease.
    const isLost = record.script !== undefined && !isHeld(ports.journal, call.epoch);
    if (!isLost) await writeRecord(record, 'after', ports);
    ports.onCall(record);
  }

  const handOver = createHandOver(calls, ports.journal);
  const stepsOf = createStepRunner({ ...ports, start, recordSearch: createSearchRecorder(ports) });
  const permitsOf = (entry: CatalogEntry) => (isComposed(entry) ? ports.composedPermits : ports.permits);

  return { start, calls, handOver };
}

function assertAccepted({ server, rate: { calls, perMs } }: TakenRate, answer: RateAnswer): void {
  if (answer.ok) return;
  const { retryAfterMs } = answer;
  const message = `Server '${server}' is limited to ${calls} calls in ${perMs} ms; try again in ${retryAfterMs} ms`;
  throw new ToolwharfError('RATE_LIMITED', message, { data: { retryAfterMs } });
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

const keyOf = (entry: CatalogEntry) => toolKey(toolIdOf(entry));

function failed(callId: string, cause: unknown): ToolResult {
  const { code, message, data } = toToolwharfError(cause);
  return failureResult(callId, code, message, data);
}
