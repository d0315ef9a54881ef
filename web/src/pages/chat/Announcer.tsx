import { useEffect, useRef, useState } from 'react';
import type { Message } from '../../api/client.ts';
import { safeText } from '../../components/safe-text.ts';
import { textOf } from './message-text.ts';

/** Tells those who listen to the page what happened: once for each thing, not for every word. */
export function Announcer({ messages }: { readonly messages: readonly Message[] }) {
  const last = messages.at(-1);
  const asked = last?.parts.filter((part) => part.type === 'tool-call' && part.status === 'asked').length ?? 0;
  const moment = last && last.role === 'assistant' ? `${last.id} ${last.status} ${asked}` : '';
  const [said, setSaid] = useState('');
  // What was there when the page was opened is no news.
  const known = useRef(moment);
  // biome-ignore lint/correctness/useExhaustiveDependencies: said when the moment changes, not when the text grows
  useEffect(() => {
    if (moment === known.current) return;
    known.current = moment;
    if (last && moment !== '') setSaid(sentenceFor(last, asked));
  }, [moment]);
  return (
    <p role="status" className="sr-only">
      {said}
    </p>
  );
}

function sentenceFor(message: Message, asked: number): string {
  const { status, problem } = message;
  if (asked > 0)
    return asked === 1 ? 'A tool call waits for your approval.' : `${asked} tool calls wait for your approval.`;
  if (status === 'streaming') return 'Answering.';
  if (status === 'complete') return `Answer: ${safeText(textOf(message), 500)}`;
  if (status === 'error') return `The answer failed. ${safeText(problem, 300)}`;
  return `The answer is not complete. ${safeText(problem, 300)}`;
}
