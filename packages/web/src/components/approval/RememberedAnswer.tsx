import { useQuery } from '@tanstack/react-query';
import { Undo2 } from 'lucide-react';
import { type Approval, api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Button } from '../Button.tsx';
import { safeText } from '../safe-text.ts';
import { useAction } from '../use-action.ts';
import { labelAudience } from './labels.ts';

/** Forgets the remembered answer to an approval, so that later calls are asked about again. */
export function useForgetAnswer() {
  return useAction({
    run: (approval: string) => api.forgetAnswer({ path: { approval } }),
    done: 'Forgotten. Later calls are asked about again.',
    refetch: ['approvals', 'rules'],
  });
}

interface RememberedAnswerProps {
  /** The id of the approval. */
  readonly approval: string;
}

/** What was answered for later calls too, with a button that takes it back. Nothing once it is forgotten. */
export function RememberedAnswer({ approval: id }: RememberedAnswerProps) {
  const approval = useQuery({ ...queries.approval(id), retry: false }).data;
  const session = useQuery(queries.session()).data;
  if (!approval?.isRemembered) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-ink-soft">
      <span className="min-w-0 break-words">{describeRemembered(approval, session?.caller?.id)}</span>
      <UndoButton approval={approval} />
    </p>
  );
}

/** Takes a remembered answer back. */
export function UndoButton({ approval }: { readonly approval: Approval }) {
  const forgetting = useForgetAnswer();
  if (!approval.isRemembered || !approval.mayAnswer) return null;
  return (
    <Button
      look="quiet"
      size="small"
      busy={forgetting.isPending}
      title="Later calls are asked about again"
      aria-label={`Undo: ask again about ${safeText(approval.originalName, 80)}`}
      onClick={() => forgetting.mutate(approval.id)}
      icon={Undo2}
    >
      Undo
    </Button>
  );
}

type Answered = Pick<Approval, 'answer' | 'answeredBy' | 'originalName' | 'server' | 'caller'>;

/** "You allowed add for this conversation." `person`: the id of who reads it. */
export function describeRemembered(approval: Answered, person: string | undefined): string {
  const { answer, answeredBy = 'Someone', originalName, server, caller } = approval;
  const isOwn = person !== undefined && (answeredBy === person || answeredBy.endsWith(` (${person})`));
  const tools = answer?.scope === 'server' ? `all tools of ${safeText(server, 60)}` : safeText(originalName, 80);
  const audience = answer?.scope === 'conversation' ? 'conversation' : (answer?.audience ?? 'caller');
  const verb = answer?.kind === 'deny' ? 'denied' : 'allowed';
  return `${isOwn ? 'You' : safeText(answeredBy, 80)} ${verb} ${tools} for ${labelAudience(audience, caller)}.`;
}
