import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, api, type Question, type QuestionAnswer } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { TimeLeft } from './approval/TimeLeft.tsx';
import { QuestionPanel } from './QuestionPanel.tsx';
import { safeText } from './safe-text.ts';
import { TextLink } from './TextLink.tsx';
import { useToast } from './Toasts.tsx';

export interface QuestionFormProps {
  readonly question: Question;
  /** Names the call that the question belongs to, where the page does not show it. */
  readonly namesCall?: boolean;
}

/** A pending question of a server during a call. The gateway receives the answer. */
export function QuestionForm({ question, namesCall = false }: QuestionFormProps) {
  const answering = useAnswerQuestion(question);
  const servers = useQuery(queries.servers()).data;
  return (
    <QuestionPanel
      question={question}
      isTrusted={servers?.find(({ name }) => name === question.server)?.trusted === true}
      busy={answering.isPending || answering.isSuccess}
      error={answering.error}
      onAnswer={answering.mutate}
      aside={<TimeLeft until={question.expiresAt} queryKey="questions" />}
    >
      {namesCall && question.callId !== undefined && (
        <p className="text-xs text-ink-soft">
          During the call of{' '}
          <TextLink href={`/calls/${encodeURIComponent(question.callId)}`} className="font-mono">
            {safeText(question.tool ?? question.callId, 200)}
          </TextLink>
        </p>
      )}
    </QuestionPanel>
  );
}

/** Answers a server's question. The first answer counts; a late one is reported without failing. */
function useAnswerQuestion(question: Question) {
  const client = useQueryClient();
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
      client.setQueryData<readonly Question[]>(['questions'], (open) => open?.filter(({ id }) => id !== question.id));
      void client.invalidateQueries({ queryKey: ['questions'] });
    },
  });
}
