import { useRef, useState } from 'react';
import { text } from '../../text/text.ts';
import { Button } from '../Button.tsx';
import { ErrorNotice } from '../ErrorNotice.tsx';
import { ScrollBox } from '../ScrollBox.tsx';
import { safeText } from '../safe-text.ts';
import type { AppChat } from './app-chat.ts';

/** An app whose messages the person keeps discarding is no longer asked for. */
const maxDiscarded = 3;

export interface AppMessages {
  /** The message that the app wants to send. */
  readonly pending: string | undefined;
  readonly isSending: boolean;
  readonly error: unknown;
  /** Asks the person; false at once while another message is pending, or after too many discarded ones. */
  ask(message: string): Promise<boolean>;
  send(): void;
  discard(): void;
}

/** The messages that an app wants to send in a conversation. Nothing is sent before the person allows it. */
export function useAppMessages(chat: AppChat | undefined, callId: string): AppMessages {
  const [pending, setPending] = useState<string>();
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  const answer = useRef<(isSent: boolean) => void>(null);
  const discarded = useRef(0);

  function end(isSent: boolean): void {
    answer.current?.(isSent);
    answer.current = null;
    setPending(undefined);
    setError(undefined);
  }

  return {
    pending,
    isSending,
    error,
    ask(message) {
      if (answer.current || discarded.current >= maxDiscarded) return Promise.resolve(false);
      setPending(message);
      return new Promise((resolve) => {
        answer.current = resolve;
      });
    },
    async send() {
      if (!chat || pending === undefined) return;
      setSending(true);
      try {
        await chat.send(callId, pending);
        discarded.current = 0;
        end(true);
      } catch (cause) {
        setError(cause);
      } finally {
        setSending(false);
      }
    },
    discard() {
      discarded.current += 1;
      end(false);
    },
  };
}

export interface AppMessageProps {
  readonly server: string;
  readonly messages: AppMessages;
  /** Whether no answer is running. */
  readonly isIdle: boolean;
}

/** The message that an app wants to send, in full, and what to do with it. */
export function AppMessage({ server, messages, isIdle }: AppMessageProps) {
  const { pending, isSending, error } = messages;
  if (pending === undefined) return null;
  return (
    <section aria-label={text.toolApp.message.label} className="flex flex-col gap-2 border-b border-line p-3">
      <p>{text.toolApp.message.ask(server)}</p>
      <ScrollBox
        label={text.toolApp.message.label}
        className="max-h-48 rounded-md border border-line bg-sunken px-3 py-2 break-words whitespace-pre-wrap"
      >
        {safeText(pending, Number.POSITIVE_INFINITY)}
      </ScrollBox>
      {error !== undefined && <ErrorNotice error={error} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button look="primary" size="small" busy={isSending} disabled={!isIdle} onClick={messages.send}>
          {text.toolApp.message.send}
        </Button>
        <Button size="small" disabled={isSending} onClick={messages.discard}>
          {text.toolApp.message.discard}
        </Button>
        {!isIdle && <span className="text-xs text-ink-soft">{text.toolApp.message.wait}</span>}
      </div>
    </section>
  );
}
