import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import type { Call } from '../../api/client.ts';
import { queries, useMay } from '../../api/queries.ts';
import { ApprovalPanel } from '../../components/ApprovalPanel.tsx';
import { ArgumentsView } from '../../components/ArgumentsView.tsx';
import { clientOfCaller, kindOfCaller, nameOfCaller } from '../../components/approval/labels.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { CallCode } from '../../components/CallCode.tsx';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { DataSources } from '../../components/DataFlows.tsx';
import { Fact, Facts, Section } from '../../components/Facts.tsx';
import { QuestionForm } from '../../components/QuestionForm.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { useSlot } from '../../shell/feature.ts';
import { CallOutcome } from './CallOutcome.tsx';
import { CallTimeline } from './CallTimeline.tsx';
import { CallTree } from './CallTree.tsx';
import { toChainYaml } from './chain-yaml.ts';

const taskStatusTexts = {
  working: 'Working',
  input_required: 'Waiting for input',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

/** The approval, timeline, outcome, children, arguments and identifiers of a call. */
export function CallRecord({ call }: { readonly call: Call }) {
  const approval = useQuery(queries.callApproval(call)).data ?? undefined;
  const edited = call.approval?.originalArguments;
  const Decision = useSlot('callDecision');
  const seesPolicy = useMay('policy.read');
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
      {call.sources && (
        <Section title="Data flow">
          <DataSources sources={call.sources} server={call.server} tool={call.originalName} />
        </Section>
      )}
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
          {call.extraParams && (
            <Section title="Other members of the request">
              <ArgumentsView value={call.extraParams} />
            </Section>
          )}
        </>
      )}
      {Decision && seesPolicy && call.kind !== 'administration' && (
        <Suspense>
          <Decision callId={call.id} />
        </Suspense>
      )}
      {call.kind === undefined && (
        <Section title="Call it from">
          <CallCode tool={call.tool} args={call.arguments} />
        </Section>
      )}
      <SaveScript call={call} />
      <Section title="Record">
        <Facts>
          <Fact name="Caller">
            {nameOfCaller(call.caller)} <span className="text-ink-faint">({kindOfCaller(call.caller)})</span>
          </Fact>
          {call.caller.client !== undefined && <Fact name="Client">{clientOfCaller(call.caller)}</Fact>}
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
          {call.policy && <PolicyRules rules={call.policy} />}
          {call.labels && <Fact name="Labels">{safeText(call.labels.join(', '), 500)}</Fact>}
          {call.contextLabels && (
            <Fact name="Labels before">
              {safeText(call.contextLabels.join(', '), 500)}
              <span className="text-ink-faint"> · of the conversation</span>
            </Fact>
          )}
          {call.redaction && <Receipt detections={call.redaction} />}
          {call.profile !== undefined && <Fact name="Profile">{call.profile}</Fact>}
          {call.approval?.by !== undefined && (
            <Fact name={call.approval.answer === 'allow' ? 'Approved by' : 'Denied by'}>
              {safeText(call.approval.by, 120)}
            </Fact>
          )}
          <Fact name="Tool">
            {call.kind === undefined ? (
              <TextLink href={`/tools/${encodeURIComponent(call.tool)}`} className="font-mono text-xs">
                {safeText(call.tool, 200)}
              </TextLink>
            ) : (
              <code className="text-xs">{safeText(call.tool, 200)}</code>
            )}
          </Fact>
          {call.task && <Fact name="Runs as">{'ttlMs' in call.task ? 'MCP task' : 'A2A task'}</Fact>}
          {call.upstreamTask && <UpstreamTask task={call.upstreamTask} />}
          <Identifier name="Call" value={call.id} />
          <Identifier name="Definition" value={call.definitionHash} />
          {call.idempotencyKey !== undefined && <Identifier name="Idempotency key" value={call.idempotencyKey} />}
        </Facts>
      </Section>
    </div>
  );
}

/** The rules of the policy that decided, and those in shadow mode that would have decided. */
function PolicyRules({ rules }: { readonly rules: NonNullable<Call['policy']> }) {
  return (
    <Fact name="Policy">
      <ul>
        {rules.map(({ id, effect, mode, failed, flow }) => (
          <li key={`${mode} ${effect} ${flow} ${id}`}>
            {flow && effect === 'allow' ? allowedFlow : (mode === 'shadow' ? wouldHave : effects)[effect]}{' '}
            <code className="text-xs">{safeText(id, 100)}</code>
            {mode === 'shadow' && <span className="text-ink-faint"> · shadow</span>}
            {failed && <span className="text-ink-faint"> · the condition has no value for this call</span>}
          </li>
        ))}
      </ul>
    </Fact>
  );
}

const allowedFlow = 'Allowed by an earlier answer to the data flow';
/** What redaction detected in the call, without the values. */
function Receipt({ detections }: { readonly detections: NonNullable<Call['redaction']> }) {
  return (
    <Fact name="Redaction">
      <ul>
        {detections.map(({ class: kind, rule, direction, action, count }) => (
          <li key={`${direction} ${action} ${kind} ${rule}`}>
            {redactionActions[action]} {count} × {safeText(kind, 100)} in {direction}
            {rule !== kind && <span className="text-ink-faint"> · {safeText(rule, 100)}</span>}
          </li>
        ))}
      </ul>
    </Fact>
  );
}

const redactionActions = { detect: 'Detected', mask: 'Masked', block: 'Blocked', restore: 'Restored' };

const effects = {
  deny: 'Denied by',
  ask: 'Approval needed by',
  hide: 'Hidden by',
  allow: 'Ignored',
  label: 'Labelled by',
  redact: 'Redacted by',
};
const wouldHave = {
  ...{ deny: 'Would be denied by', ask: 'Would need approval by', hide: 'Would be hidden by' },
  ...{ label: 'Would be labelled by', redact: 'Would be redacted by' },
  allow: 'Would be ignored:',
};

/** The task as which the server runs the call. */
function UpstreamTask({ task }: { readonly task: NonNullable<Call['upstreamTask']> }) {
  return (
    <Fact name="Server's task">
      {taskStatusTexts[task.status]}
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
  const maySave = useMay('scripts.write');
  if (call.server !== undefined || call.originalName !== 'run_code' || typeof code !== 'string') return null;
  return (
    <Section title="Save as a tool">
      {maySave && (
        <ButtonLink size="small" href={`/scripts/new?call=${encodeURIComponent(call.id)}`} className="mb-2">
          Save script …
        </ButtonLink>
      )}
      <details>
        <summary className="cursor-pointer">Show the configuration</summary>
        <p className="my-2 text-ink-soft">
          Or add this chain to the configuration file, with a name, a description and the arguments that the script
          reads from input. It is then a tool.
        </p>
        <CodeBlock code={toChainYaml(code)} language="yaml" what="configuration" />
      </details>
    </Section>
  );
}
