import { useQuery } from '@tanstack/react-query';
import { Play, RotateCcw, Square } from 'lucide-react';
import { Suspense, useEffect, useMemo, useRef, useState } from 'react';
import type { Tool } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { ApprovalPanel } from '../../components/ApprovalPanel.tsx';
import { StatusBadge, type Tone } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { ContentView } from '../../components/ContentView.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { Form } from '../../components/fields.tsx';
import { Progress } from '../../components/Progress.tsx';
import { QuestionForm } from '../../components/QuestionForm.tsx';
import { SchemaForm } from '../../components/SchemaForm.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { Duration } from '../../components/times.tsx';
import { useSlot } from '../../shell/feature.ts';
import { type CallProblem, toCallProblem } from './call-problem.ts';
import type { ArgumentsDraft } from './use-arguments.ts';
import { type ToolRun, useToolCall } from './use-tool-call.ts';

export interface ToolRunnerProps {
  readonly tool: Tool;
  readonly draft: ArgumentsDraft;
}

/** The form that runs a tool, and its run. */
export function ToolRunner({ tool, draft }: ToolRunnerProps) {
  const { run, start, stop } = useToolCall(tool.name);
  const [problem, setProblem] = useState<string>();
  const session = useQuery(queries.session()).data;
  const canCall = session === undefined || session.permissions.includes('tools.call');
  const isRunning = run !== undefined && run.endedAt === undefined;
  const failure = useMemo(() => (run?.error === undefined ? undefined : toCallProblem(run.error)), [run?.error]);
  const rejection = failure?.code === 'ARGUMENTS_INVALID' ? failure : undefined;
  // An edited field no longer has the rejected value.
  const fields = failure && run && run.arguments === draft.value ? failure.fields : undefined;
  return (
    <div className="flex flex-col gap-4">
      {rejection && <RejectedArguments problem={rejection} />}
      {!canCall && (
        <Notice tone="info">You can view tools but not run them. Running needs a key with the right “call”.</Notice>
      )}
      <Form
        className="flex flex-col gap-4"
        onSubmit={() => {
          if (!isRunning && canCall && problem === undefined) start(draft.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
        }}
      >
        <SchemaForm
          schema={tool.parameters}
          value={draft.value}
          onChange={draft.change}
          disabled={isRunning || !canCall}
          onProblem={setProblem}
          problems={fields}
        />
        <div className="flex flex-wrap items-center gap-2">
          <Button
            type="submit"
            look="primary"
            busy={isRunning}
            disabled={!canCall || problem !== undefined}
            title="Run the tool (Ctrl+Enter)"
            icon={Play}
          >
            Run
          </Button>
          {isRunning && (
            <Button look="danger" busy={run.stopping} onClick={stop} icon={Square}>
              Stop
            </Button>
          )}
          <Button look="quiet" disabled={isRunning} onClick={draft.reset} icon={RotateCcw}>
            Reset
          </Button>
          {problem !== undefined && <span className="text-bad">{`The JSON is invalid: ${problem}`}</span>}
        </div>
      </Form>
      {run && !rejection && <RunView tool={tool} run={run} problem={failure} />}
    </div>
  );
}

function RejectedArguments({ problem }: { readonly problem: CallProblem }) {
  const container = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each rejection takes the focus
  useEffect(() => container.current?.focus(), [problem]);
  return (
    <div ref={container} tabIndex={-1} className="scroll-mt-20 rounded-lg">
      <Notice tone="bad" title={<code>ARGUMENTS_INVALID</code>}>
        <p className="break-words whitespace-pre-wrap">{safeText(problem.message)}</p>
        <p className="mt-1 text-ink-soft">{problem.advice}</p>
      </Notice>
    </div>
  );
}

interface RunViewProps {
  readonly tool: Tool;
  readonly run: ToolRun;
  /** Why the run has no result. */
  readonly problem: CallProblem | undefined;
}

/** The status, progress, approval, questions and result of a run. */
function RunView({ tool, run, problem }: RunViewProps) {
  const ToolApp = useSlot('toolApp');
  const hasEnded = run.endedAt !== undefined;
  const approvals = useQuery({ ...queries.pendingApprovals(), enabled: !hasEnded }).data ?? [];
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
        <TextLink href={`/calls/${encodeURIComponent(run.callId)}`} className="ml-auto text-xs">
          Open call
        </TextLink>
      </div>
      {run.running && !hasEnded && run.progress && <Progress progress={run.progress} />}
      {approval && <ApprovalPanel key={approval.id} approval={approval} />}
      {ownQuestions.map((question) => (
        <QuestionForm key={question.id} question={question} />
      ))}
      {run.result && !run.result.isError && tool.app?.uri !== undefined && ToolApp && (
        <Suspense>
          <ToolApp key={run.callId} callId={run.callId} opens showsQuestions />
        </Suspense>
      )}
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
