import { useQuery } from '@tanstack/react-query';
import type { Call } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { ApprovalPanel } from '../../components/ApprovalPanel.tsx';
import { ArgumentsView } from '../../components/ArgumentsView.tsx';
import { kindOfCaller, nameOfCaller } from '../../components/approval/labels.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import { Fact, Facts, Section } from '../../components/Facts.tsx';
import { QuestionForm } from '../../components/QuestionForm.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { CallOutcome } from './CallOutcome.tsx';
import { CallTimeline } from './CallTimeline.tsx';
import { ChildCalls, ParentLink } from './RelatedCalls.tsx';

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
      <ChildCalls call={call.id} />
      {approval?.status !== 'pending' && (
        <>
          {edited && (
            <Section title="Original arguments">
              <ArgumentsView value={edited} />
            </Section>
          )}
          <Section title={edited ? 'Edited arguments' : 'Arguments'}>
            <ArgumentsView value={call.arguments} />
          </Section>
        </>
      )}
      <Section title="Record">
        <Facts>
          <Fact name="Caller">
            {nameOfCaller(call.caller)} <span className="text-ink-faint">({kindOfCaller(call.caller)})</span>
          </Fact>
          {call.caller.conversation !== undefined && call.parent?.kind !== 'answer' && (
            <Fact name="Conversation">
              <TextLink href={`/chat/${encodeURIComponent(call.caller.conversation)}`}>Open conversation</TextLink>
            </Fact>
          )}
          {call.rule !== undefined && (
            <Fact name="Approval">
              <TextLink href={`/approvals?tab=rules&rule=${encodeURIComponent(call.rule)}`}>Allowed by a rule</TextLink>
            </Fact>
          )}
          {call.approval?.by !== undefined && (
            <Fact name={call.approval.answer === 'allow' ? 'Approved by' : 'Denied by'}>
              {safeText(call.approval.by, 120)}
            </Fact>
          )}
          {call.parent && (
            <Fact name="Parent">
              <ParentLink call={call} />
            </Fact>
          )}
          <Fact name="Tool">
            <TextLink href={`/tools/${encodeURIComponent(call.tool)}`} className="font-mono text-xs">
              {safeText(call.tool, 200)}
            </TextLink>
          </Fact>
          <Identifier name="Call" value={call.id} />
          <Identifier name="Definition" value={call.definitionHash} />
          {call.idempotencyKey !== undefined && <Identifier name="Idempotency key" value={call.idempotencyKey} />}
        </Facts>
      </Section>
    </div>
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
