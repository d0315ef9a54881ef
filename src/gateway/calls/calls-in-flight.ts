import type { InvokeOptions } from '../../invocation/call-tool.ts';
import { failureResult } from '../../invocation/shape-result.ts';
import { createId } from '../../kernel/create-id.ts';
import { createEphemeralMap } from '../../kernel/ephemeral-map.ts';
import { createEvents, type Events } from '../../kernel/events.ts';
import type { Caller, Progress, ToolResult } from '../../kernel/tool.ts';
import type { Toolbox } from '../../toolbox.ts';
import type { Ownership } from '../auth/ownership.ts';
import { createPacer } from './pacer.ts';

export interface CallInFlight {
  readonly id: string;
  readonly tool: string;
  readonly caller: Caller;
  readonly idempotencyKey?: string;
}

/** Calls of the API and of assistants while they are under way: who made them, how far they are, and a way to end them. */
export interface CallsInFlight {
  /** A call that can be followed and ended. Never throws. */
  call(name: string, args: unknown, options: InvokeOptions & { readonly caller: Caller }): Promise<ToolResult>;
  find(callId: string): CallInFlight | undefined;
  /** Ends a call; resolves when it has ended. False when it is none of these, or over. */
  cancel(callId: string): Promise<boolean>;
  readonly on: Events<CallsInFlightEvents>['on'];
}

export interface CallsInFlightEvents {
  /** At most ten times a second for each call. */
  progressed: { readonly call: CallInFlight; readonly progress: Progress };
  ended: CallInFlight;
}

export interface CallsInFlightOptions {
  readonly call: Toolbox['call'];
  readonly ownership: Pick<Ownership, 'loadOwner'>;
  /** The least time between two words about one call; 100. */
  readonly everyMs?: number;
}

interface Entry {
  readonly call: CallInFlight;
  readonly cancel: AbortController;
  readonly ended: Promise<unknown>;
}

export function createCallsInFlight(options: CallsInFlightOptions): CallsInFlight {
  const { ownership, everyMs = 100 } = options;
  const events = createEvents<CallsInFlightEvents>();
  const entries = createEphemeralMap<string, Entry>();

  async function call(
    name: string,
    args: unknown,
    given: InvokeOptions & { readonly caller: Caller },
  ): Promise<ToolResult> {
    const { callId = createId(), caller, idempotencyKey, signal } = given;
    if (entries.has(callId)) {
      // Under its key it is the same call, whose result it gets.
      if (idempotencyKey !== undefined) return options.call(name, args, { ...given, callId });
      return failureResult(callId, 'CONFLICT', 'There is a call with this id already: choose another');
    }
    const cancel = new AbortController();
    const about = { id: callId, tool: name, caller, ...(idempotencyKey !== undefined && { idempotencyKey }) };
    using pacer = createPacer<Progress>(everyMs, (progress) => events.emit('progressed', { call: about, progress }));
    const running = run();
    entries.set(callId, { call: about, cancel, ended: running });
    try {
      return await running;
    } finally {
      entries.delete(callId);
      events.emit('ended', about);
    }

    async function run(): Promise<ToolResult> {
      // What is told of the call is told to its owner, so that one must be known before anything is.
      if (caller.conversation !== undefined) await ownership.loadOwner(caller.conversation).catch(() => {});
      return options.call(name, args, {
        ...given,
        callId,
        signal: signal ? AbortSignal.any([signal, cancel.signal]) : cancel.signal,
        onProgress(progress) {
          given.onProgress?.(progress);
          pacer.say(progress);
        },
      });
    }
  }

  return {
    call,
    find: (callId) => entries.get(callId)?.call,
    async cancel(callId) {
      const entry = entries.get(callId);
      if (!entry) return false;
      entry.cancel.abort(new Error('The call was cancelled'));
      await entry.ended.catch(() => {});
      return true;
    },
    on: events.on,
  };
}
