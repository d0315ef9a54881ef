import { useEffect, useReducer, useState } from 'react';
import { api } from '../../api/api.ts';
import { ApiError } from '../../api/client.ts';
import { applyChatEvent, type ChatEvent, type ChatEventName, type ConversationState } from './conversation-state.ts';

const names: readonly ChatEventName[] = ['snapshot', 'conversation', 'message', 'part', 'text', 'cut', 'removed'];

// A browser has few connections to one gateway: a page that nobody looks at gives this one back.
const hiddenForMs = 5_000;
const tryAgainMs = 1_000;

export interface LiveConversation {
  /** Absent until it is known. */
  readonly state: ConversationState | undefined;
  /** `lost`: trying again by itself. `gone`: it was removed, or never was. */
  readonly connection: 'connecting' | 'live' | 'lost' | 'gone';
  /** Why it can't be had, when trying again is no use. */
  readonly error: unknown;
}

/** A conversation, kept as it is now for as long as the component is there. */
export function useConversation(id: string): LiveConversation {
  const [state, apply] = useReducer(applyChatEvent, undefined);
  const [connection, setConnection] = useState<LiveConversation['connection']>('connecting');
  const [error, setError] = useState<unknown>();

  useEffect(() => {
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;

    function open(): void {
      clearTimeout(timer);
      timer = undefined;
      if (source || isOver) return;
      const opened = new EventSource(`/api/conversations/${encodeURIComponent(id)}/events`);
      source = opened;
      for (const name of names) {
        opened.addEventListener(name, ({ data }) => {
          apply({ name, data: JSON.parse(data) } as ChatEvent);
          if (name === 'snapshot') setConnection('live');
          if (name === 'removed') end('gone');
        });
      }
      opened.addEventListener('error', () => {
        setConnection((before) => (before === 'live' ? 'lost' : before));
        const wasRefused = opened.readyState === EventSource.CLOSED;
        close();
        if (wasRefused) void askWhy();
        else tryAgain();
      });
    }

    function close(): void {
      clearTimeout(timer);
      timer = undefined;
      source?.close();
      source = undefined;
    }

    function end(how: LiveConversation['connection']): void {
      isOver = true;
      close();
      setConnection(how);
    }

    function tryAgain(): void {
      if (!isOver) timer = setTimeout(open, tryAgainMs);
    }

    /** An event source does not tell why it was refused. */
    async function askWhy(): Promise<void> {
      try {
        await api.getConversation({ path: { conversation: id } });
      } catch (cause) {
        if (!isOver && cause instanceof ApiError && cause.status < 500) {
          if (cause.status !== 404 && cause.status !== 400) setError(cause);
          return end('gone');
        }
      }
      tryAgain();
    }

    function onVisibility(): void {
      if (isOver) return;
      if (!document.hidden) open();
      else timer ??= setTimeout(close, hiddenForMs);
    }

    open();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      isOver = true;
      document.removeEventListener('visibilitychange', onVisibility);
      close();
    };
  }, [id]);

  return { state, connection, error };
}
