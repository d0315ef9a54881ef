import { useEffect, useRef, useState } from 'react';
import type { Message } from '../../api/client.ts';
import { pluralize } from '../../components/pluralize.ts';
import { safeText } from '../../components/safe-text.ts';
import { textOf } from './message-text.ts';

/** Announces the state of the last answer to screen readers, once per change. */
export function Announcer({ messages }: { readonly messages: readonly Message[] }) {
  const last = messages.at(-1);
  const pending = last?.parts.filter((part) => part.type === 'tool-call' && part.status === 'asked').length ?? 0;
  const state = last && last.role === 'assistant' ? `${last.id} ${last.status} ${pending}` : '';
  const [announcement, setAnnouncement] = useState('');
  // The state when the page opens is not announced.
  const announced = useRef(state);
  // biome-ignore lint/correctness/useExhaustiveDependencies: announced when the state changes, not when the text grows
  useEffect(() => {
    if (state === announced.current) return;
    announced.current = state;
    if (last && state !== '') setAnnouncement(describeAnswer(last, pending));
  }, [state]);
  return (
    <p role="status" className="sr-only">
      {announcement}
    </p>
  );
}

function describeAnswer(message: Message, pending: number): string {
  const { status, problem } = message;
  if (pending > 0) return `${pluralize(pending, 'tool call')} awaiting your approval.`;
  if (status === 'streaming') return 'The assistant is answering.';
  if (status === 'complete') return `Answer: ${safeText(textOf(message), 500)}`;
  if (status === 'error') return `The answer failed. ${safeText(problem, 300)}`;
  return `The answer is incomplete. ${safeText(problem, 300)}`;
}
