import { useRef, useState } from 'react';
import type { AppChat } from '../../components/app-chat.ts';
import { Button } from '../../components/Button.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { ScrollBox } from '../../components/ScrollBox.tsx';
import { safeText } from '../../components/safe-text.ts';

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
    <section aria-label="Message of the app" className="flex flex-col gap-2 border-b border-line p-3">
      <p>{`The app of server ${server} wants to send this message to the assistant:`}</p>
      <ScrollBox
        label="Message of the app"
        className="max-h-48 rounded-md border border-line bg-sunken px-3 py-2 break-words whitespace-pre-wrap"
      >
        {safeText(pending, Number.POSITIVE_INFINITY)}
      </ScrollBox>
      {error !== undefined && <ErrorNotice error={error} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button look="primary" size="small" busy={isSending} disabled={!isIdle} onClick={messages.send}>
          Send message
        </Button>
        <Button size="small" disabled={isSending} onClick={messages.discard}>
          Discard
        </Button>
        {!isIdle && <span className="text-xs text-ink-soft">You can send it when the answer has ended.</span>}
      </div>
    </section>
  );
}
