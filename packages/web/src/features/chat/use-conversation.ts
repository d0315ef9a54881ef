import { useEffect, useReducer, useState } from 'react';
import { parseExactly } from '../../../../contract/exact-json.ts';
import { ApiError, api } from '../../api/client.ts';
import { applyChatEvent, type ChatEvent, type ChatEventName, type ConversationState } from './conversation-state.ts';

const names: readonly ChatEventName[] = ['snapshot', 'conversation', 'message', 'part', 'text', 'cut', 'removed'];

// A browser has few connections per host: a hidden page closes its stream.
const closeHiddenAfterMs = 5_000;
const reconnectMs = 1_000;

export interface LiveConversation {
  /** Undefined until the first snapshot. */
  readonly state: ConversationState | undefined;
  /** `closed`: the conversation was deleted, does not exist or is not accessible. */
  readonly connection: 'connecting' | 'live' | 'reconnecting' | 'closed';
  /** Why the conversation is not accessible. */
  readonly error: unknown;
}

/** A conversation, updated live by its event stream. */
export function useConversation(id: string): LiveConversation {
  const [state, apply] = useReducer(applyChatEvent, undefined);
  const [connection, setConnection] = useState<LiveConversation['connection']>('connecting');
  const [error, setError] = useState<unknown>();

  useEffect(() => {
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let hasEnded = false;

    function open(): void {
      clearTimeout(timer);
      timer = undefined;
      if (source || hasEnded) return;
      const opened = new EventSource(`/api/conversations/${encodeURIComponent(id)}/events`);
      source = opened;
      for (const name of names) {
        opened.addEventListener(name, ({ data }) => {
          apply({ name, data: parseExactly(data) } as ChatEvent);
          if (name === 'snapshot') setConnection('live');
          if (name === 'removed') end();
        });
      }
      opened.addEventListener('error', () => {
        setConnection((current) => (current === 'live' ? 'reconnecting' : current));
        const wasRejected = opened.readyState === EventSource.CLOSED;
        close();
        if (wasRejected) void findCause();
        else reconnect();
      });
    }

    function close(): void {
      clearTimeout(timer);
      timer = undefined;
      source?.close();
      source = undefined;
    }

    function end(): void {
      hasEnded = true;
      close();
      setConnection('closed');
    }

    function reconnect(): void {
      if (!hasEnded) timer = setTimeout(open, reconnectMs);
    }

    /** An event source does not report why it was rejected. */
    async function findCause(): Promise<void> {
      try {
        await api.getConversation({ path: { conversation: id } });
      } catch (cause) {
        if (!hasEnded && cause instanceof ApiError && cause.status < 500) {
          if (cause.status !== 404 && cause.status !== 400) setError(cause);
          return end();
        }
      }
      reconnect();
    }

    function onVisibility(): void {
      if (hasEnded) return;
      if (!document.hidden) open();
      else timer ??= setTimeout(close, closeHiddenAfterMs);
    }

    open();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      hasEnded = true;
      document.removeEventListener('visibilitychange', onVisibility);
      close();
    };
  }, [id]);

  return { state, connection, error };
}
