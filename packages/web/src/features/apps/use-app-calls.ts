import { useRef, useState } from 'react';
import { ApiError, type App, api, type ToolCallPart } from '../../api/client.ts';
import { randomId } from '../../components/random-id.ts';
import type { BridgePorts } from './open-bridge.ts';

const maxShown = 20;
const maxRunning = 8;

export interface AppCalls {
  /** The calls of the app, oldest first. */
  readonly calls: readonly ToolCallPart[];
  readonly callTool: BridgePorts['callTool'];
}

/** Makes the calls of an app, and keeps the latest ones to show them. `callId` is the call that opened the app. */
export function useAppCalls(callId: string, server: App['server']): AppCalls {
  const [calls, setCalls] = useState<readonly ToolCallPart[]>([]);
  const running = useRef(0);

  function change(id: string, part: Partial<ToolCallPart>): void {
    setCalls((shown) => shown.map((call) => (call.id === id ? { ...call, ...part } : call)));
  }

  return {
    calls,
    async callTool(name, args, signal) {
      if (running.current >= maxRunning) return failed(`An app can make ${maxRunning} calls at the same time.`);
      const id = randomId();
      const startedAt = new Date().toISOString();
      const call: ToolCallPart = {
        ...{ type: 'tool-call', id, callId: id, name, originalName: name, server, startedAt },
        arguments: args,
        status: 'running',
      };
      setCalls((shown) => [...shown, call].slice(-maxShown));
      running.current += 1;
      try {
        const body = { tool: name, arguments: args, callId: id };
        const result = await api.callToolForApp({ path: { call: callId }, body, signal });
        const { isError, content, structuredContent, _meta } = result;
        end(id, isError ? 'error' : 'success', { isError, content, structuredContent });
        return { isError, content, structuredContent, _meta } as never;
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        const code = error instanceof ApiError ? error.code : undefined;
        end(id, code === 'CALL_DENIED' ? 'denied' : 'error', { ...failed(message), errorCode: code });
        return failed(message);
      } finally {
        running.current -= 1;
      }
    },
  };

  function end(id: string, status: ToolCallPart['status'], result: NonNullable<ToolCallPart['result']>): void {
    change(id, { status, result, completedAt: new Date().toISOString() });
  }
}

function failed(message: string) {
  return { isError: true, content: [{ type: 'text' as const, text: message }] };
}
