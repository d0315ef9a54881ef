import { ToolwharfError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import { type Clock, isoTime } from '../kernel/clock.ts';
import { createId } from '../kernel/create-id.ts';
import type { Log } from '../kernel/log.ts';
import type { Caller } from '../kernel/tool.ts';
import { type Call, type CallHost, RunningCall } from './call.ts';
import { type CallEnding, endingFor, toCallError } from './call-ending.ts';
import type { CallRecord } from './call-record.ts';
import type { InternalStartOptions, Invoker } from './invoker.ts';
import { assertHeld, type Journal, writeRecord } from './journal.ts';
import { type ContentRead, ReadTarget, type ReadTargetPorts } from './read-target.ts';

/** How a resource or prompt is read. */
export interface ReadOptions {
  readonly signal?: AbortSignal;
  /** Answers the server's questions, and the approval if reads need one. */
  readonly host?: CallHost;
  /** The reader; the program by default. */
  readonly caller?: Caller;
}

/** Options of a read on behalf of a caller with its own policy. */
export interface InternalReadOptions
  extends Pick<
    InternalStartOptions,
    | 'signal'
    | 'host'
    | 'caller'
    | 'policy'
    | 'refreshPolicy'
    | 'callerLimits'
    | 'meta'
    | 'extraParams'
    | 'id'
    | 'isIdFree'
    | 'parent'
  > {
  /** The reader is an administrator who decides whether to accept a changed skill: no approval of the change is needed. */
  readonly isReview?: boolean;
  /** Called with the call of the read, which may be running already. */
  readonly onStarted?: (call: Pick<Call, 'subscribe' | 'state' | 'record'>) => void;
}

export interface ReaderPorts extends ReadTargetPorts {
  readonly start: Invoker['start'];
}

/** Reads resources and prompts. */
export type ReadContent = (read: ContentRead, options?: InternalReadOptions) => Promise<JsonObject>;

/** Subscribes to changes of resources, and records that if there is a caller; the returned function unsubscribes. */
export type WatchResources = (
  server: string,
  uris: string | readonly string[],
  options?: Pick<ReadOptions, 'caller'>,
) => Promise<() => Promise<void>>;

/** Each read is a call, whose target is a resource or prompt. It returns the server's answer unchanged, and rejects with its error. */
export function createReader({ start, ...ports }: ReaderPorts): ReadContent {
  return async (read, { isReview, onStarted, ...options } = {}) => {
    const target = new ReadTarget({ ...read, isReview }, ports);
    const call = start(target.current(), read.params, { ...options, read: target });
    onStarted?.(call);
    const { isError, failure } = await call.result;
    if (!isError) return target.answer;
    const { code, message, data } = failure ?? { code: 'INTERNAL', message: 'The read failed' };
    throw target.failure ?? new ToolwharfError(code, message, { data });
  };
}

export interface WatchPorts extends ReadTargetPorts {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly log: Log;
  readonly onCall: (record: CallRecord) => void;
}

/** Records subscriptions like reads. They need no approval, since they return no content. */
export function createRecordedWatch(watch: WatchResources, ports: WatchPorts): WatchResources {
  return async (server, uris, { caller } = {}) => {
    if (!caller) return watch(server, uris);
    const epoch = ports.journal.lease?.epoch;
    const write = async (record: CallRecord, when: 'before' | 'after') => {
      await writeRecord(record, when, ports, when === 'before' ? epoch : undefined);
      ports.onCall(record);
    };
    const calls = [uris].flat().map((uri) => subscriptionCall(server, uri, caller));
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

  function subscriptionCall(server: string, uri: string, caller: Caller): RunningCall {
    const params = { uri };
    const read = new ReadTarget({ kind: 'resource', method: 'resources/subscribe', server, params }, ports);
    const now = () => isoTime(ports.clock.now());
    return new RunningCall({ id: createId(), read, entry: read.current(), arguments: params, caller, host: {}, now });
  }
}
