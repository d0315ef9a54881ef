import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { runLocalTool } from '../catalog/local-tool.ts';
import type { ApprovalConfig, ToolboxConfig } from '../config/config.ts';
import type { Connection } from '../connections/connection.ts';
import { toParamHeaders } from '../connections/param-headers.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import type { Clock } from '../kernel/clock.ts';
import { createId } from '../kernel/create-id.ts';
import { createEphemeralMap } from '../kernel/ephemeral-map.ts';
import { ConnectionError, messageOf, ToolwharfError, toToolwharfError } from '../kernel/errors.ts';
import { isoTime } from '../kernel/iso-time.ts';
import { isObject, type JsonObject } from '../kernel/json.ts';
import type { Log } from '../kernel/log.ts';
import type { Caller, CallOptions, ToolResult } from '../kernel/tool.ts';
import { type ToolId, toolIdOf, toolKey } from '../kernel/tool-id.ts';
import { abortable } from '../kernel/wait.ts';
import { decide } from '../policy/decide.ts';
import type { LazyArgumentsChecker } from '../policy/lazy-arguments-checker.ts';
import type { ArgumentsVerdict } from '../policy/validate-arguments.ts';
import { type AskPorts, askApproval } from './ask-approval.ts';
import { endFor, endOf, toCallError, wasCutOff } from './call-end.ts';
import type { CallRecord } from './call-record.ts';
import { createDeadline, type Deadline } from './deadline.ts';
import { createIdempotency } from './idempotency.ts';
import type { Journal } from './journal.ts';
import type { KeptResults } from './kept-results.ts';
import { type OpenRecord, openRecord } from './open-record.ts';
import type { RateLimiter } from './rate-window.ts';
import { failureResult, shapeResult } from './shape-result.ts';
import type { Slot, Slots } from './slots.ts';
import { tellWaiting } from './tell-waiting.ts';

export interface InvokerPorts extends AskPorts {
  readonly catalog: Pick<Catalog, 'find'>;
  readonly connectionOf: (server: string) => Connection | undefined;
  readonly settings: () => ToolboxConfig;
  readonly slots: Slots;
  /** Of tools that call others: whoever waits for a place must not hold one. */
  readonly composedSlots: Slots;
  readonly rates: RateLimiter;
  readonly checker: LazyArgumentsChecker;
  readonly journal: Journal;
  readonly kept: KeptResults;
  readonly clock: Clock;
  readonly log: Log;
  readonly onCall: (record: CallRecord) => void;
}

/** How a call is made, for those who make it on behalf of others. */
export interface InvokeOptions extends CallOptions {
  /** Instead of the toolbox's own approval settings. */
  readonly approval?: ApprovalConfig;
  /** The modern era's questions and answers, passed through: the server's questions come back as the result. */
  readonly input?: { readonly responses?: JsonObject; readonly state?: string };
  /** The call's id; a new one if undefined. */
  readonly callId?: string;
  /** Which tools a tool that calls others may call for this caller; all if undefined. */
  readonly mayUse?: (tool: CatalogEntry) => boolean;
  /** The call that this one is a part of. */
  readonly within?: OuterCall;
}

/** A call that makes others. */
export interface OuterCall {
  readonly callId: string;
  readonly within?: OuterCall | undefined;
}

export interface Invoker {
  /** One call end to end, of a tool by exposed name or id. Never throws, and never runs a tool twice for one call. */
  call(tool: string | ToolId, args: unknown, options?: InvokeOptions): Promise<ToolResult>;
  /** Stops a call's clock while a person is asked in the middle of it. */
  pauseClock(callId: string | undefined): () => void;
}

const defaultCaller: Caller = { id: 'program', kind: 'program' };

export function createInvoker(ports: InvokerPorts): Invoker {
  const idempotency = createIdempotency(ports.journal);
  const deadlines = createEphemeralMap<string, Deadline>();

  function call(tool: string | ToolId, input: unknown, options: InvokeOptions = {}): Promise<ToolResult> {
    const { callId = createId(), idempotencyKey: key } = options;
    if (key === undefined) return callOnce(callId, tool, input, options);
    const entry = ports.catalog.find(tool);
    const id = entry ? toolIdOf(entry) : tool;
    return callWithKey(key, callId, [id, input], options, () => callOnce(callId, id, input, options));
  }

  async function callWithKey(
    key: string,
    callId: string,
    what: readonly unknown[],
    { caller = defaultCaller }: InvokeOptions,
    run: () => Promise<ToolResult>,
  ): Promise<ToolResult> {
    try {
      return await idempotency.once({ caller: caller.id, key, fingerprint: hashOf(what), callId }, run);
    } catch (cause) {
      return failed(callId, cause);
    }
  }

  async function callOnce(
    callId: string,
    tool: string | ToolId,
    input: unknown,
    options: InvokeOptions,
  ): Promise<ToolResult> {
    const entry = ports.catalog.find(tool);
    if (!entry) return failureResult(callId, 'TOOL_NAME_INVALID', unknownTool(tool));
    const { caller = defaultCaller, idempotencyKey } = options;
    const record = openRecord(callId, entry, isObject(input) ? input : {}, { caller, idempotencyKey }, isoNow);
    let noted: Promise<void> | undefined;
    // Only a call that has to wait is noted as waiting. For the others the next step follows at once, and says it all.
    const note = () => {
      noted ??= keep(record.pending, 'before');
      return noted;
    };
    let slot: Slot | undefined;
    try {
      ports.onCall(record.pending);
      options.signal?.throwIfAborted();
      const { args, agreed } = await agree(record, entry, input, note, options);
      slot = slotsOf(agreed).tryTake(toolKey(toolIdOf(agreed)), agreed.limits.maxInstances);
      if (!slot) {
        note().catch(() => {});
        slot = await waitForSlot(agreed, options.signal);
      }
      checkRate(agreed);
      if (noted) await noted;
      const started = record.start(args);
      await keep(started, 'before');
      ports.onCall(started);
      const raw = await dispatch(callId, agreed, args, options);
      const { result, kept } = shapeResult(raw, { callId, maxResultBytes: ports.settings().maxResultBytes });
      if (kept) ports.kept.keep(callId, kept);
      const ended = record.end(endOf(result, kept === undefined ? raw : undefined));
      await keep(ended, 'after');
      ports.onCall(ended);
      return result;
    } catch (cause) {
      const error = toCallError(cause, options.signal);
      const { code, message } = error;
      const ended = record.end({ status: 'error', end: endFor(error), error: { code, message } });
      await keep(ended, 'after');
      ports.onCall(ended);
      return failed(callId, error);
    } finally {
      slot?.[Symbol.dispose]();
    }
  }

  /** Decide, validate, and ask where that is wanted; again if the tool's definition changed while the person thought. */
  async function agree(
    record: OpenRecord,
    entry: CatalogEntry,
    input: unknown,
    note: () => Promise<void>,
    options: InvokeOptions,
  ) {
    const { caller = defaultCaller, signal, approval = ports.settings().approval } = options;
    for (let current = entry, rounds = 0; ; rounds++) {
      const decision = decide({
        tool: current,
        approval,
        remembered: await ports.rules.list(),
        caller,
      });
      if (decision.kind === 'deny') {
        const code = current.changed === 'quarantine' ? 'TOOL_CHANGED' : 'CALL_DENIED';
        throw new ToolwharfError(code, `The call to ${current.name} was denied: ${decision.reason}`);
      }
      const args = await validate(current, input);
      if (decision.kind === 'allow') return { args, agreed: current };
      await note();
      const asked = { callId: record.id, entry: current, args, caller, reason: decision.reason, signal };
      const approved = await ask({ ...asked, expiresMs: approval.expiresMs }, options);
      const now = ports.catalog.find(toolIdOf(current));
      if (now?.definitionHash === current.definitionHash)
        return { args: approved === args ? args : await validate(now, approved), agreed: now };
      if (!now || rounds >= 2)
        throw new ToolwharfError('TOOL_CHANGED', `${current.name} changed while it was being approved`);
      current = now;
    }
  }

  async function ask(asked: Parameters<typeof askApproval>[0], { onProgress, within }: InvokeOptions) {
    using _telling = tellWaiting(onProgress);
    const resume = outerCalls(within).map(({ callId }) => deadlines.get(callId)?.pause());
    try {
      return await askApproval(asked, ports);
    } finally {
      for (const go of resume) go?.();
    }
  }

  function validate(entry: CatalogEntry, input: unknown): JsonObject | Promise<JsonObject> {
    const args = input ?? {};
    const accept = (checked: ArgumentsVerdict): JsonObject => {
      if (checked.ok) return args as JsonObject;
      throw new ToolwharfError('ARGUMENTS_INVALID', `Invalid arguments for ${entry.name}: ${checked.text}`);
    };
    const checked = ports.checker.check(entry.definition.inputSchema, args);
    return checked instanceof Promise ? checked.then(accept) : accept(checked);
  }

  async function waitForSlot(entry: CatalogEntry, signal: AbortSignal | undefined): Promise<Slot> {
    // Waiting has a limit of its own, so that a queue nobody drains does not hold its callers for ever.
    const patience = AbortSignal.timeout(entry.limits.timeoutMs);
    try {
      return await slotsOf(entry).take(toolKey(toolIdOf(entry)), entry.limits.maxInstances, {
        signal: signal ? AbortSignal.any([signal, patience]) : patience,
      });
    } catch (cause) {
      if (signal?.aborted || !patience.aborted) throw cause;
      const waited = `No place became free for ${entry.name} within ${entry.limits.timeoutMs} ms; it was not started`;
      throw new ToolwharfError('CALL_TIMED_OUT', waited, { cause });
    }
  }

  function checkRate(entry: CatalogEntry): void {
    const rate = entry.server === undefined ? undefined : ports.connectionOf(entry.server)?.spec.rate;
    if (!rate || entry.server === undefined) return;
    const taken = ports.rates.take(entry.server, rate);
    if (taken.ok) return;
    const limit = `${rate.calls} calls in ${rate.perMs} ms`;
    throw new ToolwharfError(
      'RATE_LIMITED',
      `Server '${entry.server}' is limited to ${limit}; try again in ${taken.retryAfterMs} ms`,
      {
        data: { retryAfterMs: taken.retryAfterMs },
      },
    );
  }

  async function dispatch(
    callId: string,
    entry: CatalogEntry,
    args: JsonObject,
    options: InvokeOptions,
  ): Promise<JsonObject> {
    const deadline = createDeadline(entry.limits.timeoutMs, options.signal);
    deadlines.set(callId, deadline);
    const { signal } = deadline;
    try {
      // A local function that does not heed its signal still cannot hold the call.
      if (entry.local) return await abortable(runLocal(callId, entry, args, signal, options), signal);
      return await send(callId, entry, args, signal, options);
    } catch (cause) {
      if (!deadline.isOver()) throw cause;
      throw new ToolwharfError('CALL_TIMED_OUT', `${entry.name} did not finish within ${entry.limits.timeoutMs} ms`, {
        cause,
      });
    } finally {
      deadlines.delete(callId);
      deadline[Symbol.dispose]();
    }
  }

  async function send(
    callId: string,
    entry: CatalogEntry,
    args: JsonObject,
    signal: AbortSignal,
    options: InvokeOptions,
  ) {
    const connection = entry.server === undefined ? undefined : ports.connectionOf(entry.server);
    if (!connection) throw new ConnectionError('SERVER_DISCONNECTED', `Not connected to MCP server: ${entry.server}`);
    const { input, meta, onProgress } = options;
    const params: Record<string, unknown> = { name: entry.originalName, arguments: args };
    if (input?.responses) params.inputResponses = input.responses;
    if (input?.state !== undefined) params.requestState = input.state;
    if (meta) params._meta = meta;
    const { era, transport } = connection.status;
    const headers = era === 'modern' && transport === 'http' ? toParamHeaders(entry.paramHeaders, args) : undefined;
    const sendOptions = { signal, callId, passInputRequired: input !== undefined, onProgress, headers };
    const request = () => connection.request('tools/call', params, sendOptions);
    try {
      return connection.redact(await request());
    } catch (cause) {
      if (!wasCutOff(cause) || signal.aborted || !isRepeatable(entry)) throw cause;
      ports.log.info('call.repeated', `${entry.name} is sent again: its connection broke and it is safe to repeat`, {
        tool: entry.name,
      });
      return connection.redact(await request());
    }
  }

  function runLocal(
    callId: string,
    entry: CatalogEntry,
    args: JsonObject,
    signal: AbortSignal,
    { caller, approval, mayUse, onProgress, within }: InvokeOptions,
  ): Promise<JsonObject> {
    const local = entry.local as NonNullable<CatalogEntry['local']>;
    const inside: InvokeOptions = {
      signal,
      within: { callId, within },
      ...(caller && { caller }),
      ...(approval && { approval }),
      ...(mayUse && { mayUse }),
    };
    const context = { signal, ...(onProgress && { onProgress }), call: callFrom };
    async function callFrom(name: string, given: unknown): Promise<ToolResult> {
      if (!local.composed)
        throw new ToolwharfError('TOOL_FAILED', `${entry.name} calls other tools, and must say so: composed: true`);
      if (outerCalls(inside.within).length > mostNested)
        throw new ToolwharfError(
          'TOOL_FAILED',
          `${entry.name} calls tools that call tools, more than ${mostNested} deep`,
        );
      const wanted = ports.catalog.find(name);
      if (wanted && mayUse && !mayUse(wanted)) return failureResult(createId(), 'TOOL_NAME_INVALID', unknownTool(name));
      return call(name, given, inside);
    }
    const running = runLocalTool(local, args, context);
    return running.catch((cause) => {
      if (cause instanceof ToolwharfError || signal.aborted) throw cause;
      throw new ToolwharfError('TOOL_FAILED', messageOf(cause), { cause });
    });
  }

  /** Before a call is sent, a journal that can't be written stops it; afterwards the result matters more. */
  async function keep(record: CallRecord, when: 'before' | 'after'): Promise<void> {
    try {
      await ports.journal.write(record);
    } catch (cause) {
      ports.log.error('journal.failed', `The journal could not be written: ${messageOf(cause)}`, { call: record.id });
      if (when === 'before')
        throw new ToolwharfError('JOURNAL_UNAVAILABLE', 'The call was not made: it could not be recorded', { cause });
    }
  }

  const slotsOf = (entry: CatalogEntry) => (entry.local?.composed ? ports.composedSlots : ports.slots);
  const isoNow = () => isoTime(ports.clock.now());

  return {
    call,
    pauseClock: (callId) => (callId === undefined ? undefined : deadlines.get(callId)?.pause()) ?? (() => {}),
  };
}

function failed(callId: string, cause: unknown): ToolResult {
  const error = toToolwharfError(cause);
  return failureResult(callId, error.code, error.message, error.data);
}

const unknownTool = (tool: string | ToolId) =>
  `Invalid MCP tool name: ${typeof tool === 'string' ? tool : toolKey(tool)}`;

/** The calls that one is a part of, from the inside out. */
function outerCalls(within: OuterCall | undefined): readonly OuterCall[] {
  return within ? [within, ...outerCalls(within.within)] : [];
}

const mostNested = 8;

/** Only a trusted server's own word makes a tool safe to send twice. */
function isRepeatable(entry: CatalogEntry): boolean {
  const { readOnlyHint, idempotentHint } = entry.definition.annotations ?? {};
  return entry.serverTrusted && (readOnlyHint === true || idempotentHint === true);
}
