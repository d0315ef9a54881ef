import { useRef, useState } from 'react';
import type { AppChat } from '../../components/app-chat.ts';
import { Button } from '../../components/Button.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { ScrollBox } from '../../components/ScrollBox.tsx';
import { safeText } from '../../components/safe-text.ts';
import { type Request, useRequest } from './LinkDialog.tsx';

/** An app whose messages the person keeps discarding is no longer asked for. */
const maxDiscarded = 3;

export interface AppMessages extends Pick<Request<string>, 'wanted' | 'ask'> {
  readonly isSending: boolean;
  readonly error: unknown;
  send(): void;
  discard(): void;
}

/** The messages that an app wants to send in a conversation. Nothing is sent before the person allows it. */
export function useAppMessages(chat: AppChat | undefined, callId: string): AppMessages {
  const { wanted, ask, answer } = useRequest<string>();
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  const discarded = useRef(0);
  return {
    wanted,
    isSending,
    error,
    ask: (message) => (discarded.current < maxDiscarded ? ask(message) : Promise.resolve(false)),
    async send() {
      if (!chat || wanted === undefined) return;
      setSending(true);
      setError(undefined);
      try {
        await chat.send(callId, wanted);
        discarded.current = 0;
        answer(true);
      } catch (cause) {
        setError(cause);
      } finally {
        setSending(false);
      }
    },
    discard() {
      discarded.current += 1;
      setError(undefined);
      answer(false);
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
  const { wanted, isSending, error } = messages;
  if (wanted === undefined) return null;
  return (
    <section aria-label="Message of the app" className="flex flex-col gap-2 border-b border-line p-3">
      <p>{`The app of server ${server} wants to send this message to the assistant:`}</p>
      <ScrollBox
        label="Message of the app"
        className="max-h-48 rounded-md border border-line bg-sunken px-3 py-2 break-words whitespace-pre-wrap"
      >
        {safeText(wanted, Number.POSITIVE_INFINITY)}
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
