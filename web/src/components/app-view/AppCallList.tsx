import { useQuery } from '@tanstack/react-query';
import type { ToolCallPart } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { text } from '../../text/text.ts';
import { ApprovalPanel } from '../ApprovalPanel.tsx';
import { QuestionForm } from '../QuestionForm.tsx';
import { ToolCallCard } from '../ToolCallCard.tsx';

export interface AppCallListProps {
  readonly calls: readonly ToolCallPart[];
  readonly showsQuestions: boolean;
}

/** The calls of an app, those that wait for a person first. */
export function AppCallList({ calls, showsQuestions }: AppCallListProps) {
  const running = calls.filter(({ status }) => status === 'running');
  const enabled = running.length > 0;
  const approvals = useQuery({ ...queries.pendingApprovals(), enabled }).data ?? [];
  const questions = useQuery({ ...queries.questions(), enabled: enabled && showsQuestions }).data ?? [];
  if (calls.length === 0) return null;
  const waiting = running.flatMap((call) => {
    const approval = approvals.find(({ callId }) => callId === call.callId);
    const asked = showsQuestions ? questions.filter(({ callId }) => callId === call.callId) : [];
    return approval || asked.length > 0 ? [{ call, approval, asked }] : [];
  });
  return (
    <div className="flex max-h-[50vh] flex-col gap-2 overflow-y-auto border-b border-line p-2">
      {waiting.map(({ call, approval, asked }) => (
        <ToolCallCard key={call.id} call={approval ? { ...call, status: 'asked' } : call}>
          {approval && <ApprovalPanel approval={approval} compact />}
          {asked.map((question) => (
            <QuestionForm key={question.id} question={question} />
          ))}
        </ToolCallCard>
      ))}
      <details>
        <summary className="cursor-pointer text-xs text-ink-soft">{text.toolApp.calls(calls.length)}</summary>
        <div className="mt-2 flex flex-col gap-2">
          {calls.toReversed().map((call) => (
            <ToolCallCard key={call.id} call={call} />
          ))}
        </div>
      </details>
    </div>
  );
}
