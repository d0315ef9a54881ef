import { useRef, useState } from 'react';
import type { CallProgressedEvent, CallResult } from '../../api/client.ts';
import { api } from '../../api/client.ts';
import { useEvent } from '../../api/events-context.tsx';
import { randomId } from '../../components/random-id.ts';

/** One run of a tool in the app. */
export interface ToolRun {
  readonly callId: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly startedAt: string;
  /** Whether the call was sent to the server. Before that it is queued or awaits approval. */
  readonly running: boolean;
  readonly stopping: boolean;
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

/** Runs a tool and follows the call by its events. */
export function useToolCall(tool: string): ToolRunControl {
  const [run, setRun] = useState<ToolRun>();
  const abortController = useRef<AbortController>(undefined);

  function update(callId: string, change: Partial<ToolRun>): void {
    setRun((current) => (current?.callId === callId ? { ...current, ...change } : current));
  }

  useEvent('call.progressed', (event) => {
    if (event.id === run?.callId && run.endedAt === undefined) update(event.id, { progress: event });
  });
  useEvent('call.changed', (event) => {
    if (event.id === run?.callId && event.status === 'running') update(event.id, { running: true });
  });

  async function call(callId: string, args: ToolRun['arguments'], signal: AbortSignal): Promise<void> {
    try {
      const result = await api.callTool({ path: { tool }, body: { arguments: args, callId }, signal });
      update(callId, { result, endedAt: new Date().toISOString() });
    } catch (error) {
      update(callId, { error, endedAt: new Date().toISOString() });
    }
  }

  return {
    run,
    start(args) {
      const callId = randomId();
      const controller = new AbortController();
      abortController.current = controller;
      setRun({ callId, arguments: args, startedAt: new Date().toISOString(), running: false, stopping: false });
      void call(callId, args, controller.signal);
    },
    stop() {
      if (!run || run.endedAt !== undefined) return;
      update(run.callId, { stopping: true });
      // A cancelled call still returns its outcome. If the request fails, closing the connection cancels the call.
      api.cancelCall({ path: { call: run.callId } }).catch(() => abortController.current?.abort());
    },
  };
}
