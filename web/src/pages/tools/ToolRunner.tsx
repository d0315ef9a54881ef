import { useQuery } from '@tanstack/react-query';
import { Play, RotateCcw, Square } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Tool } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Button } from '../../components/Button.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { SchemaForm } from '../../components/SchemaForm.tsx';
import { safeText } from '../../components/safe-text.ts';
import { type CallProblem, toCallProblem } from './call-problem.ts';
import { RunView } from './RunView.tsx';
import type { ArgumentsDraft } from './use-arguments.ts';
import { useToolCall } from './use-tool-call.ts';

export interface ToolRunnerProps {
  readonly tool: Tool;
  readonly draft: ArgumentsDraft;
}

/** Fills in a tool's arguments, runs it, and shows how that goes. */
export function ToolRunner({ tool, draft }: ToolRunnerProps) {
  const { run, begin, stop } = useToolCall(tool.name);
  const [problem, setProblem] = useState<string>();
  const session = useQuery(queries.session()).data;
  const mayCall = session === undefined || session.rights.includes('call');
  const isRunning = run !== undefined && run.endedAt === undefined;
  const failure = useMemo(() => (run?.error === undefined ? undefined : toCallProblem(run.error)), [run?.error]);
  const refused = failure?.code === 'ARGUMENTS_INVALID' ? failure : undefined;
  // A field that was changed since is no longer what was complained about.
  const fields = failure && run && run.arguments === draft.value ? failure.fields : undefined;
  return (
    <div className="flex flex-col gap-4">
      {refused && <Refused problem={refused} />}
      {!mayCall && <Notice tone="info">You may look at tools, but not run them.</Notice>}
      <form
        // What is missing or wrong is the gateway's to say: it knows the whole schema.
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isRunning && mayCall && problem === undefined) begin(draft.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
        }}
      >
        <SchemaForm
          schema={tool.parameters}
          value={draft.value}
          onChange={draft.change}
          disabled={isRunning || !mayCall}
          onProblem={setProblem}
          {...(fields && { problems: fields })}
        />
        <div className="flex flex-wrap items-center gap-2">
          <Button
            type="submit"
            look="primary"
            busy={isRunning}
            disabled={!mayCall || problem !== undefined}
            title="Run it with these arguments (Ctrl+Enter)"
          >
            <Play aria-hidden />
            Run
          </Button>
          {isRunning && (
            <Button look="danger" busy={run.stopping} onClick={stop}>
              <Square aria-hidden />
              Stop
            </Button>
          )}
          <Button look="quiet" disabled={isRunning} onClick={draft.reset}>
            <RotateCcw aria-hidden />
            Start over
          </Button>
          {problem !== undefined && <span className="text-bad">The JSON has a mistake: {problem}</span>}
        </div>
      </form>
      {run && !refused && <RunView tool={tool} run={run} problem={failure} />}
    </div>
  );
}

/** Above the form, where the arguments can be put right. */
function Refused({ problem }: { readonly problem: CallProblem }) {
  const place = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each refusal is shown anew
  useEffect(() => place.current?.focus(), [problem]);
  return (
    <div ref={place} tabIndex={-1} className="scroll-mt-20 rounded-lg">
      <Notice tone="bad" title={<code>ARGUMENTS_INVALID</code>}>
        <p className="break-words whitespace-pre-wrap">{safeText(problem.message)}</p>
        <p className="mt-1 text-ink-soft">{problem.advice}</p>
      </Notice>
    </div>
  );
}
