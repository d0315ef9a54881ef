import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Tool } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { ApprovalPanel } from '../../components/ApprovalPanel.tsx';
import { StatusBadge, type Tone } from '../../components/Badge.tsx';
import { ContentView } from '../../components/ContentView.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { QuestionForm } from '../../components/QuestionForm.tsx';
import { safeText } from '../../components/safe-text.ts';
import { Duration } from '../../components/times.tsx';
import type { CallProblem } from './call-problem.ts';
import { Progress } from './Progress.tsx';
import type { ToolRun } from './use-tool-call.ts';

export interface RunViewProps {
  readonly tool: Tool;
  readonly run: ToolRun;
  /** Why the run has no result. */
  readonly problem: CallProblem | undefined;
}

/** The status, progress, approval, questions and result of a run. */
export function RunView({ tool, run, problem }: RunViewProps) {
  const hasEnded = run.endedAt !== undefined;
  const approvals = useQuery({ ...queries.approvals('pending'), enabled: !hasEnded }).data ?? [];
  const questions = useQuery({ ...queries.questions(), enabled: !hasEnded }).data ?? [];
  const approval = hasEnded ? undefined : approvals.find(({ callId }) => callId === run.callId);
  const ownQuestions = hasEnded ? [] : questions.filter(({ callId }) => callId === run.callId);
  const [tone, label] = labelRun(run, approval !== undefined, ownQuestions.length > 0);
  return (
    <section aria-label="Run" className="flex min-w-0 flex-col gap-3 rounded-lg border border-line p-4">
      <div role="status" className="flex flex-wrap items-center gap-3">
        <StatusBadge tone={tone} pulsing={!hasEnded}>
          {label}
        </StatusBadge>
        <span className="text-ink-soft" aria-hidden={!hasEnded}>
          <Duration from={run.startedAt} to={run.endedAt} />
        </span>
        <Link
          href={`/calls/${encodeURIComponent(run.callId)}`}
          className="ml-auto text-xs text-accent-strong underline underline-offset-2"
        >
          Open call
        </Link>
      </div>
      {run.running && !hasEnded && run.progress && <Progress progress={run.progress} />}
      {approval && <ApprovalPanel key={approval.id} approval={approval} />}
      {ownQuestions.map((question) => (
        <QuestionForm key={question.id} question={question} />
      ))}
      {run.result && (
        <ContentView
          result={run.result}
          truncated={run.result.truncated !== undefined}
          callId={run.result.callId}
          server={tool.server}
        />
      )}
      {problem && (
        <Notice tone="bad" title={problem.code === undefined ? 'No response' : <code>{problem.code}</code>}>
          <p className="break-words whitespace-pre-wrap">{safeText(problem.message)}</p>
          {problem.advice !== undefined && <p className="mt-1 text-ink-soft">{problem.advice}</p>}
        </Notice>
      )}
    </section>
  );
}

function labelRun(run: ToolRun, awaitsApproval: boolean, hasQuestion: boolean): readonly [Tone, string] {
  if (run.result) return run.result.isError ? ['bad', 'Tool error'] : ['good', 'Success'];
  if (run.error !== undefined) return ['bad', 'No result'];
  if (run.stopping) return ['warn', 'Stopping'];
  if (awaitsApproval) return ['warn', 'Awaiting approval'];
  if (hasQuestion) return ['warn', 'Awaiting input'];
  return run.running ? ['info', 'Running'] : ['neutral', 'Queued'];
}
