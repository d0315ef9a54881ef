import { useEffect, useState } from 'react';
import { parseExactly } from '../../../../contract/exact-json.ts';
import { ApiError, api, type Call, type CallProgressedEvent, type CallResult } from '../../api/client.ts';
import { useEvent } from '../../api/events-context.tsx';
import { isRecord } from '../../components/is-record.ts';
import { randomId } from '../../components/random-id.ts';

/** One run of a tool in the app. */
export interface ToolRun {
  readonly callId: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly startedAt: string;
  /** Whether the call was sent to the server. Before that it is queued or awaits approval. */
  readonly running: boolean;
  readonly stopping: boolean;
  /** Whether the page was reloaded since the start. */
  readonly isRestored: boolean;
  readonly progress?: CallProgressedEvent;
  readonly endedAt?: string;
  readonly result?: CallResult;
  readonly error?: unknown;
}

export interface ToolRunControl {
  readonly run: ToolRun | undefined;
  start(args: Readonly<Record<string, unknown>>): void;
  stop(): void;
}

/** Runs a tool and follows the call by its events. The call belongs to the gateway: a reloaded page follows it again. */
export function useToolCall(tool: string): ToolRunControl {
  const [run, setRun] = useState(() => readStored(tool));

  function update(callId: string, change: Partial<ToolRun>): void {
    setRun((current) => (current?.callId === callId ? { ...current, ...change } : current));
  }

  useEvent('call.progressed', (event) => {
    if (event.id === run?.callId && run.endedAt === undefined) update(event.id, { progress: event });
  });
  useEvent('call.changed', ({ id, status }) => {
    if (id !== run?.callId || run.endedAt !== undefined) return;
    if (status === 'running') update(id, { running: true });
    else if (status !== 'pending' && run.isRestored) void readOutcome(id);
  });
  const restoredId = run?.isRestored && run.endedAt === undefined ? run.callId : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the outcome may have arrived while the page was reloaded
  useEffect(() => void (restoredId !== undefined && readOutcome(restoredId)), [restoredId]);

  /** Reads the outcome of a call that another instance of this page started. */
  async function readOutcome(callId: string): Promise<void> {
    try {
      const { status, startedAt, ...call } = await api.getCall({ path: { call: callId } });
      if (status === 'pending' || status === 'running')
        return update(callId, {
          running: status === 'running',
          progress: call.progress && { id: callId, ...call.progress },
        });
      end(callId, call.completedAt, call.error ? { error: toError(call.error) } : { result: toResult(callId, call) });
    } catch (error) {
      end(callId, undefined, { error });
    }
  }

  function end(callId: string, endedAt: string | undefined, outcome: Pick<ToolRun, 'result' | 'error'>): void {
    // A request without a response says nothing about the call: the page may be unloading.
    if (outcome.error === undefined || outcome.error instanceof ApiError) sessionStorage.removeItem(storageKey(tool));
    update(callId, { ...outcome, endedAt: endedAt ?? new Date().toISOString() });
  }

  async function call(callId: string, args: ToolRun['arguments']): Promise<void> {
    try {
      const result = await api.callTool({ path: { tool }, body: { arguments: args, callId, detached: true } });
      end(callId, undefined, { result });
    } catch (error) {
      end(callId, undefined, { error });
    }
  }

  return {
    run,
    start(args) {
      const callId = randomId();
      const started = { callId, arguments: args, startedAt: new Date().toISOString() };
      store(tool, started);
      setRun({ ...started, running: false, stopping: false, isRestored: false });
      void call(callId, args);
    },
    stop() {
      if (!run || run.endedAt !== undefined) return;
      update(run.callId, { stopping: true });
      // A cancelled call still returns its outcome.
      api.cancelCall({ path: { call: run.callId } }).catch(() => update(run.callId, { stopping: false }));
    },
  };
}

type StartedRun = Pick<ToolRun, 'callId' | 'arguments' | 'startedAt'>;

const storageKey = (tool: string) => `toolwharf.run.${tool}`;

function store(tool: string, run: StartedRun): void {
  try {
    sessionStorage.setItem(storageKey(tool), JSON.stringify(run));
  } catch {
    // The storage is full: a reloaded page does not show the run, and the call continues.
  }
}

function readStored(tool: string): ToolRun | undefined {
  const text = sessionStorage.getItem(storageKey(tool));
  if (text === null) return undefined;
  return { ...(parseExactly(text) as StartedRun), running: false, stopping: false, isRestored: true };
}

function toError({ code, message }: NonNullable<Call['error']>): ApiError {
  return new ApiError(500, code, message);
}

function toResult(callId: string, { result, truncated }: Pick<Call, 'result' | 'truncated'>): CallResult {
  const content = Array.isArray(result?.content) ? result.content.filter(isRecord) : [];
  const text = content.map((block) => (typeof block.text === 'string' ? block.text : '')).join('\n');
  const structured = isRecord(result?.structuredContent) ? result.structuredContent : undefined;
  return { callId, isError: result?.isError === true, content, text, structuredContent: structured, truncated };
}
