import { Button } from '../Button.tsx';
import { ContentView } from '../ContentView.tsx';
import { isRecord } from '../content/is-record.ts';
import { ErrorNotice } from '../ErrorNotice.tsx';
import { ScrollBox } from '../ScrollBox.tsx';
import { safeText } from '../safe-text.ts';
import type { QuestionProps } from './question-props.ts';

type Json = Readonly<Record<string, unknown>>;

const maxMessages = 50;

/** A prompt that a server wants to send to the model; nothing is sent before the person allows it. */
export function SamplingQuestion({ question, busy, error, onAnswer }: QuestionProps) {
  const { messages, systemPrompt, maxTokens, temperature } = question.params;
  const all = Array.isArray(messages) ? messages.filter(isRecord) : [];
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p>
        The server wants to prompt the model of this conversation and receives the reply. This costs tokens
        {typeof maxTokens === 'number' && <>: at most {maxTokens.toLocaleString('en')} for the reply</>}.
      </p>
      {typeof systemPrompt === 'string' && <Quoted title="Instructions for the model">{safeText(systemPrompt)}</Quoted>}
      {all.slice(0, maxMessages).map((message, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages never move
        <section key={at} aria-label={`Message ${at + 1}`} className="min-w-0">
          <h4 className="mb-1 text-xs text-ink-soft">{message.role === 'assistant' ? 'Model' : 'User'}</h4>
          <ContentView result={{ isError: false, content: blocksOf(message.content) }} />
        </section>
      ))}
      {all.length > maxMessages && <p className="text-ink-soft">And {all.length - maxMessages} more messages.</p>}
      {typeof temperature === 'number' && <p className="text-xs text-ink-faint">Temperature {temperature}</p>}
      {error !== null && error !== undefined && <ErrorNotice title="The answer was rejected" error={error} />}
      <div className="flex flex-wrap gap-2">
        <Button look="primary" busy={busy} onClick={() => onAnswer({ action: 'accept' })}>
          Allow
        </Button>
        <Button look="danger" disabled={busy} onClick={() => onAnswer({ action: 'decline' })}>
          Decline
        </Button>
      </div>
    </div>
  );
}

function Quoted({ title, children }: { readonly title: string; readonly children: string }) {
  return (
    <section className="min-w-0">
      <h4 className="mb-1 text-xs text-ink-soft">{title}</h4>
      <ScrollBox
        label={title}
        className="max-h-48 rounded-md border border-line bg-sunken px-3 py-2 break-words whitespace-pre-wrap"
      >
        {children}
      </ScrollBox>
    </section>
  );
}

function blocksOf(content: unknown): readonly Json[] {
  return (Array.isArray(content) ? content : [content]).filter(isRecord);
}
