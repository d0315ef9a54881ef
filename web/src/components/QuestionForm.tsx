import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { MessageCircleQuestion } from 'lucide-react';
import { api } from '../api/api.ts';
import { ApiError, type Question, type QuestionAnswer } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { TimeLeft } from './approval/TimeLeft.tsx';
import { Notice } from './ErrorNotice.tsx';
import { ElicitationForm } from './question/ElicitationForm.tsx';
import { SamplingQuestion } from './question/SamplingQuestion.tsx';
import { UrlQuestion } from './question/UrlQuestion.tsx';
import { safeText } from './safe-text.ts';
import { useToast } from './Toasts.tsx';

export interface QuestionFormProps {
  readonly question: Question;
}

/** A question of a server during a call: a form, a URL to open, or a prompt for the model. */
export function QuestionForm({ question }: QuestionFormProps) {
  const answering = useAnswerQuestion(question);
  const servers = useQuery(queries.servers()).data;
  const isTrusted = servers?.find(({ name }) => name === question.server)?.trusted === true;
  const isForm = question.kind === 'elicitation' && question.params.mode !== 'url';
  const Content = isForm ? ElicitationForm : question.kind === 'elicitation' ? UrlQuestion : SamplingQuestion;
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
          Do not enter passwords, keys or other secrets: {server} is not a trusted server and receives what you enter.
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

/** Answers a server's question. The first answer counts; a late one is reported without failing. */
function useAnswerQuestion(question: Question) {
  const queries = useQueryClient();
  const toast = useToast();
  return useMutation({
    async mutationFn(body: QuestionAnswer) {
      try {
        await api.answerQuestion({ path: { question: question.id }, body });
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') throw error;
        toast('This question is closed: it was answered elsewhere, or its call ended.');
      }
    },
    onSuccess() {
      queries.setQueryData<readonly Question[]>(['questions'], (open) => open?.filter(({ id }) => id !== question.id));
      void queries.invalidateQueries({ queryKey: ['questions'] });
    },
  });
}
