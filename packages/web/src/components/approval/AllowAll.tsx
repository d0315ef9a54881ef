import { CheckCheck } from 'lucide-react';
import { type Approval, type ApprovalAnswer, api } from '../../api/client.ts';
import { formatNumber } from '../../text/formats.ts';
import { Button } from '../Button.tsx';
import { useAction } from '../use-action.ts';

export interface AllowAllProps {
  readonly approvals: readonly Approval[];
}

/** Buttons that allow, or deny, all of the listed calls that the person may answer. Hidden for less than two. */
export function AllowAll({ approvals: listed }: AllowAllProps) {
  const approvals = listed.filter(({ mayAnswer }) => mayAnswer);
  const answering = useAction({
    run: (given: 'once' | 'conversation' | 'deny') =>
      answerEach(approvals, given === 'deny' ? { answer: 'deny' } : { answer: 'allow', scope: given }),
    refetch: ['rules', 'approvals'],
  });
  if (approvals.length < 2) return null;
  // A preview hides large arguments: the person reviews such a call on its own.
  if (approvals.some(({ isPreview }) => isPreview))
    return <p className="text-xs text-ink-soft">Some arguments are large. Answer the calls one by one.</p>;
  const conversation = approvals[0]?.caller.conversation;
  const hasConversation = approvals.every(
    ({ audiences, caller }) => audiences.includes('conversation') && caller.conversation === conversation,
  );
  const count = approvals.length;
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        size="small"
        look="primary"
        busy={answering.isPending && answering.variables === 'once'}
        disabled={answering.isPending}
        onClick={() => answering.mutate('once')}
        icon={CheckCheck}
      >
        {`Allow all ${formatNumber(count)}`}
      </Button>
      {hasConversation && (
        <Button
          size="small"
          title="Later calls of these tools in this conversation need no approval"
          busy={answering.isPending && answering.variables === 'conversation'}
          disabled={answering.isPending}
          onClick={() => answering.mutate('conversation')}
        >
          {`Allow all ${formatNumber(count)} for this conversation`}
        </Button>
      )}
      <Button
        size="small"
        busy={answering.isPending && answering.variables === 'deny'}
        disabled={answering.isPending}
        onClick={() => answering.mutate('deny')}
      >
        {`Deny all ${formatNumber(count)}`}
      </Button>
    </div>
  );
}

const maxAnswers = 200;

/** Answers every approval. An approval that was answered elsewhere keeps its answer. */
async function answerEach(approvals: readonly Approval[], answer: ApprovalAnswer): Promise<void> {
  for (let at = 0; at < approvals.length; at += maxAnswers) {
    const answers = approvals.slice(at, at + maxAnswers).map(({ id }) => ({ approval: id, answer }));
    await api.answerApprovals({ body: { answers } });
  }
}
