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
  /** Why it has no result. */
  readonly problem: CallProblem | undefined;
}

/** A run while it goes on and when it is over: what it waits for, how far it is, what came of it. */
export function RunView({ tool, run, problem }: RunViewProps) {
  const isOver = run.endedAt !== undefined;
  const approvals = useQuery({ ...queries.approvals('pending'), enabled: !isOver }).data ?? [];
  const questions = useQuery({ ...queries.questions(), enabled: !isOver }).data ?? [];
  const approval = isOver ? undefined : approvals.find(({ callId }) => callId === run.callId);
  const asked = isOver ? [] : questions.filter(({ callId }) => callId === run.callId);
  const [tone, words] = statusOf(run, approval !== undefined, asked.length > 0);
  return (
    <section aria-label="Run" className="flex min-w-0 flex-col gap-3 rounded-lg border border-line p-4">
      <div role="status" className="flex flex-wrap items-center gap-3">
        <StatusBadge tone={tone} pulsing={!isOver}>
          {words}
        </StatusBadge>
        <span className="text-ink-soft" aria-hidden={!isOver}>
          <Duration from={run.begunAt} to={run.endedAt} />
        </span>
        <Link
          href={`/calls/${encodeURIComponent(run.callId)}`}
          className="ml-auto text-xs text-accent-strong underline underline-offset-2"
        >
          This call in the history
        </Link>
      </div>
      {run.running && !isOver && run.progress && <Progress progress={run.progress} />}
      {approval && <ApprovalPanel key={approval.id} approval={approval} />}
      {asked.map((question) => (
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
        <Notice tone="bad" title={titleOf(problem)}>
          <p className="break-words whitespace-pre-wrap">{safeText(problem.message)}</p>
          {problem.advice !== undefined && <p className="mt-1 text-ink-soft">{problem.advice}</p>}
        </Notice>
      )}
    </section>
  );
}

function statusOf(run: ToolRun, isAsked: boolean, hasQuestion: boolean): readonly [Tone, string] {
  if (run.result) return run.result.isError ? ['bad', 'The tool failed'] : ['good', 'Done'];
  if (run.error !== undefined) return ['bad', 'Ended without a result'];
  if (run.stopping) return ['warn', 'Stopping'];
  if (isAsked) return ['warn', 'Waits for an answer'];
  if (hasQuestion) return ['warn', 'The server asks something'];
  return run.running ? ['info', 'Running'] : ['neutral', 'Waits for its turn'];
}

function titleOf({ code }: CallProblem) {
  if (code === undefined) return 'There is no answer';
  return <code>{code}</code>;
}
