import { useQuery } from '@tanstack/react-query';
import { MessageCircleQuestion } from 'lucide-react';
import type { Question } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { TimeLeft } from './approval/TimeLeft.tsx';
import { Notice } from './ErrorNotice.tsx';
import { AddressQuestion } from './question/AddressQuestion.tsx';
import { ElicitationForm } from './question/ElicitationForm.tsx';
import { SamplingQuestion } from './question/SamplingQuestion.tsx';
import { useAnswerQuestion } from './question/use-answer-question.ts';
import { safeText } from './safe-text.ts';

export interface QuestionFormProps {
  readonly question: Question;
}

/** What a server asks a person in the middle of a call: a form, an address to open, or something to send to the model. */
export function QuestionForm({ question }: QuestionFormProps) {
  const answering = useAnswerQuestion(question);
  const servers = useQuery(queries.servers()).data;
  const isTrusted = servers?.find(({ name }) => name === question.server)?.trusted === true;
  const isForm = question.kind === 'elicitation' && question.params.mode !== 'url';
  const Content = isForm ? ElicitationForm : question.kind === 'elicitation' ? AddressQuestion : SamplingQuestion;
  const server = safeText(question.server, 100);
  return (
    <section
      aria-label={`Server ${server} asks`}
      className="flex min-w-0 flex-col gap-3 rounded-lg border border-info/40 bg-surface p-4"
    >
      <header className="flex flex-wrap items-start justify-between gap-2">
        <h3 className="flex min-w-0 items-start gap-2">
          <MessageCircleQuestion aria-hidden className="mt-0.5 size-4 shrink-0 text-info" />
          <span className="min-w-0 break-words">
            Server <span className="font-mono">{server}</span> asks:
          </span>
        </h3>
        <TimeLeft until={question.expiresAt} queryKey="questions" />
      </header>
      {isForm && !isTrusted && (
        <Notice tone="warn">
          Do not enter passwords, keys or other secrets: {server} is not a trusted server, and gets what you write.
        </Notice>
      )}
      <Content
        question={question}
        busy={answering.isPending || answering.isSuccess}
        error={answering.error}
        onAnswer={answering.mutate}
      />
    </section>
  );
}
