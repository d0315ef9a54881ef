import { useQuery } from '@tanstack/react-query';
import type { Call } from '../../api/client.ts';
import { queries, useIsAdmin } from '../../api/queries.ts';
import { ApprovalPanel } from '../../components/ApprovalPanel.tsx';
import { ArgumentsView } from '../../components/ArgumentsView.tsx';
import { kindOfCaller, nameOfCaller } from '../../components/approval/labels.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { CallCode } from '../../components/CallCode.tsx';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { Fact, Facts, Section } from '../../components/Facts.tsx';
import { QuestionForm } from '../../components/QuestionForm.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { text } from '../../text/text.ts';
import { CallOutcome } from './CallOutcome.tsx';
import { CallTimeline } from './CallTimeline.tsx';
import { CallTree } from './CallTree.tsx';
import { toChainYaml } from './chain-yaml.ts';

const words = text.calls.record;

/** The approval, timeline, outcome, children, arguments and identifiers of a call. */
export function CallRecord({ call }: { readonly call: Call }) {
  const approval = useQuery(queries.callApproval(call)).data ?? undefined;
  const edited = call.approval?.originalArguments;
  const questions = useQuery(queries.questions()).data?.filter(({ callId }) => callId === call.id) ?? [];
  return (
    <div className="flex min-w-0 flex-col gap-5">
      {approval?.status === 'pending' && <ApprovalPanel key={approval.id} approval={approval} />}
      {questions.map((question) => (
        <QuestionForm key={question.id} question={question} />
      ))}
      <CallTimeline call={call} approval={approval} />
      <CallOutcome call={call} />
      <CallTree call={call} />
      {approval?.status !== 'pending' && (
        <>
          {edited && (
            <Section title={words.originalArguments}>
              <ArgumentsView value={edited} />
            </Section>
          )}
          <Section title={edited ? words.editedArguments : words.arguments}>
            <ArgumentsView value={call.arguments} />
          </Section>
        </>
      )}
      {call.kind === undefined && (
        <Section title={text.tools.toolSchemas.call}>
          <CallCode tool={call.tool} args={call.arguments} />
        </Section>
      )}
      <SaveScript call={call} />
      <Section title={words.record}>
        <Facts>
          <Fact name={words.caller}>
            {nameOfCaller(call.caller)} <span className="text-ink-faint">({kindOfCaller(call.caller)})</span>
          </Fact>
          {call.caller.conversation !== undefined && call.parent?.kind !== 'answer' && (
            <Fact name={words.conversation}>
              <TextLink href={`/chat/${encodeURIComponent(call.caller.conversation)}`}>
                {words.openConversation}
              </TextLink>
            </Fact>
          )}
          {call.rule !== undefined && (
            <Fact name={words.approval}>
              <TextLink href={`/approvals?tab=rules&rule=${encodeURIComponent(call.rule)}`}>
                {words.allowedByRule}
              </TextLink>
            </Fact>
          )}
          {call.approval?.by !== undefined && (
            <Fact name={call.approval.answer === 'allow' ? words.approvedBy : words.deniedBy}>
              {safeText(call.approval.by, 120)}
            </Fact>
          )}
          <Fact name={words.tool}>
            {call.kind === undefined ? (
              <TextLink href={`/tools/${encodeURIComponent(call.tool)}`} className="font-mono text-xs">
                {safeText(call.tool, 200)}
              </TextLink>
            ) : (
              <code className="text-xs">{safeText(call.tool, 200)}</code>
            )}
          </Fact>
          {call.task && <Fact name={words.runsAs}>{'ttlMs' in call.task ? words.mcpTask : words.a2aTask}</Fact>}
          {call.upstreamTask && <UpstreamTask task={call.upstreamTask} />}
          <Identifier name={words.call} value={call.id} />
          <Identifier name={words.definition} value={call.definitionHash} />
          {call.idempotencyKey !== undefined && <Identifier name={words.idempotencyKey} value={call.idempotencyKey} />}
        </Facts>
      </Section>
    </div>
  );
}

/** The task as which the server runs the call. */
function UpstreamTask({ task }: { readonly task: NonNullable<Call['upstreamTask']> }) {
  return (
    <Fact name={words.serverTask}>
      {words.taskStatus[task.status]}
      {task.message !== undefined && <span className="text-ink-faint"> · {safeText(task.message, 300)}</span>}
    </Fact>
  );
}

function Identifier({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <Fact name={name}>
      <span className="flex min-w-0 items-center gap-1">
        <code className="min-w-0 truncate text-xs" title={safeText(value, 300)}>
          {safeText(value, 300)}
        </code>
        <CopyButton text={value} what={name.toLowerCase()} />
      </span>
    </Fact>
  );
}

/** Makes a tool of the script of a `run_code` call: saved here, or as a chain of the configuration. */
function SaveScript({ call }: { readonly call: Call }) {
  const { code } = call.arguments;
  const isAdmin = useIsAdmin();
  if (call.server !== undefined || call.originalName !== 'run_code' || typeof code !== 'string') return null;
  return (
    <Section title={text.calls.saveScript.title}>
      {isAdmin && (
        <ButtonLink size="small" href={`/scripts/new?call=${encodeURIComponent(call.id)}`} className="mb-2">
          {text.calls.saveScript.save}
        </ButtonLink>
      )}
      <details>
        <summary className="cursor-pointer">{text.calls.saveScript.show}</summary>
        <p className="my-2 text-ink-soft">{text.calls.saveScript.about}</p>
        <CodeBlock code={toChainYaml(code)} language="yaml" what={text.calls.saveScript.what} />
      </details>
    </Section>
  );
}
