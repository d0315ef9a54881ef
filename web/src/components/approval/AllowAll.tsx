import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CheckCheck } from 'lucide-react';
import { ApiError, type Approval, type ApprovalAnswer, api } from '../../api/client.ts';
import { text } from '../../text/text.ts';
import { Button } from '../Button.tsx';
import { useToast } from '../Toasts.tsx';

/** Buttons that allow the listed calls that the person may answer: once, or for their conversation. Hidden for less than two. */
export function AllowAll({ approvals: listed }: { readonly approvals: readonly Approval[] }) {
  const approvals = listed.filter(({ mayAnswer }) => mayAnswer);
  const client = useQueryClient();
  const toast = useToast();
  const allowing = useMutation({
    mutationFn: (scope: 'once' | 'conversation') => allowEach(approvals, { answer: 'allow', scope }),
    onError: toast.error,
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ['rules'] });
      return client.invalidateQueries({ queryKey: ['approvals'] });
    },
  });
  if (approvals.length < 2) return null;
  // A person must see what they allow: large arguments are shown one by one.
  if (approvals.some(({ isPreview }) => isPreview))
    return <p className="text-xs text-ink-soft">{text.allowAll.oneByOne}</p>;
  const conversation = approvals[0]?.caller.conversation;
  const hasConversation = approvals.every(
    ({ audiences, caller }) => audiences.includes('conversation') && caller.conversation === conversation,
  );
  const count = approvals.length;
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        size="small"
        busy={allowing.isPending && allowing.variables === 'once'}
        disabled={allowing.isPending}
        onClick={() => allowing.mutate('once')}
      >
        <CheckCheck aria-hidden />
        {text.allowAll.once(count)}
      </Button>
      {hasConversation && (
        <Button
          size="small"
          title={text.allowAll.conversationTitle}
          busy={allowing.isPending && allowing.variables === 'conversation'}
          disabled={allowing.isPending}
          onClick={() => allowing.mutate('conversation')}
        >
          {text.allowAll.conversation(count)}
        </Button>
      )}
    </div>
  );
}

const answeredCodes = ['CONFLICT', 'GONE', 'NOT_FOUND'];

/** Answers every approval. An approval that was answered elsewhere keeps its answer; other failures are reported at the end. */
async function allowEach(approvals: readonly Approval[], body: ApprovalAnswer): Promise<void> {
  const answers = approvals.map(({ id }) => api.answerApproval({ path: { approval: id }, body }));
  const failed = (await Promise.allSettled(answers)).find(
    (result) =>
      result.status === 'rejected' &&
      !(result.reason instanceof ApiError && answeredCodes.includes(result.reason.code)),
  );
  if (failed?.status === 'rejected') throw failed.reason;
}
