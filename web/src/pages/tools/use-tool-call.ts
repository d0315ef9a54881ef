import { useRef, useState } from 'react';
import { api } from '../../api/api.ts';
import type { CallProgressedEvent, CallResult } from '../../api/client.ts';
import { useEvent } from '../../api/events-context.tsx';
import { randomId } from '../../components/random-id.ts';

/** One run of a tool, from the click to its end. */
export interface ToolRun {
  readonly callId: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly begunAt: string;
  /** It was sent to the server; before that it waits for its turn or for an answer. */
  readonly running: boolean;
  readonly stopping: boolean;
  readonly progress?: CallProgressedEvent;
  readonly endedAt?: string;
  readonly result?: CallResult;
  readonly error?: unknown;
}

export interface ToolCalling {
  readonly run: ToolRun | undefined;
  begin(args: Readonly<Record<string, unknown>>): void;
  stop(): void;
}

/** Calls a tool and follows the call by its own id: what the gateway tells about it on the way, and how it ends. */
export function useToolCall(tool: string): ToolCalling {
  const [run, setRun] = useState<ToolRun>();
  const aborter = useRef<AbortController>(undefined);

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
    begin(args) {
      const callId = randomId();
      const controller = new AbortController();
      aborter.current = controller;
      setRun({ callId, arguments: args, begunAt: new Date().toISOString(), running: false, stopping: false });
      void call(callId, args, controller.signal);
    },
    stop() {
      if (!run || run.endedAt !== undefined) return;
      update(run.callId, { stopping: true });
      // Asked to end it, the gateway tells how it ended. If that fails, hanging up ends it too.
      api.cancelCall({ path: { call: run.callId } }).catch(() => aborter.current?.abort());
    },
  };
}
