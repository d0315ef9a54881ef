import { useQuery } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { Approval } from '../../api/client.ts';
import { queries, useMay } from '../../api/queries.ts';
import { ApprovalPanel } from '../../components/ApprovalPanel.tsx';
import { AllowAll } from '../../components/approval/AllowAll.tsx';
import { inScriptOrder, ScriptCode } from '../../components/approval/ScriptCode.tsx';
import { ButtonLink } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { SearchInput } from '../../components/fields.tsx';
import { Page } from '../../components/Page.tsx';
import { QuestionForm } from '../../components/QuestionForm.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { Tabs } from '../../components/Tabs.tsx';
import { TextLink } from '../../components/TextLink.tsx';
import { useFirstPart } from '../../components/use-first-part.tsx';
import { useShortcuts } from '../../components/use-shortcuts.ts';
import { formatNumber } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import { AnsweredList } from './AnsweredList.tsx';
import { filterApprovals } from './filter-approvals.ts';
import { RuleList } from './RuleList.tsx';

/** Pending approvals, answered approvals and rules. */
export default function ApprovalsPage() {
  const [search, setSearch] = useSearchParams();
  const seesRules = useMay('rules.write');
  const approvals = useQuery(queries.pendingApprovals()).data?.length ?? 0;
  const questions = useQuery(queries.questions()).data?.length ?? 0;
  const pending = approvals + questions;
  const tabs = [
    {
      id: 'pending',
      label: pending === 0 ? 'Pending' : `Pending (${formatNumber(pending)})`,
      content: <PendingList />,
    },
    { id: 'answered', label: 'Answered', content: <AnsweredList /> },
    // Only administrators can list and revoke rules.
    ...(seesRules ? [{ id: 'rules', label: 'Rules', content: <RuleList /> }] : []),
  ];
  const requested = search.get('tab');
  const value = tabs.find(({ id }) => id === requested)?.id ?? 'pending';
  return (
    <Page title="Approvals" description="Calls awaiting approval, from any client. The first answer counts.">
      <Tabs
        label="Approvals"
        tabs={tabs}
        value={value}
        onChange={(id) => setSearch(id === 'pending' ? {} : { tab: id }, { replace: true })}
      />
    </Page>
  );
}

const pageSize = 20;

/** The pending approvals and server questions, oldest first, each with its answers. */
function PendingList() {
  const approvals = useQuery(queries.pendingApprovals());
  const questions = useQuery(queries.questions());
  const container = useRef<HTMLDivElement>(null);
  const [search, setSearch] = useState('');
  const matching = filterApprovals(approvals.data ?? [], search);
  const groups = groupByScript(matching.toSorted((a, b) => a.askedAt.localeCompare(b.askedAt)));
  const [shown, more] = useFirstPart(groups, pageSize);
  useShortcuts(true, {
    ArrowRight: () => focusApproval(container.current, 1),
    ArrowLeft: () => focusApproval(container.current, -1),
  });
  const failed = [approvals, questions].find(({ isError }) => isError);
  if (failed) return <ErrorNotice error={failed.error} onRetry={() => void failed.refetch()} />;
  if (!approvals.data || !questions.data) return <Spinner label="Loading approvals …" />;

  const count = approvals.data.length + questions.data.length;
  // The focused button disappears with its approval.
  const onAnswered = () => container.current?.focus({ preventScroll: true });
  return (
    <div ref={container} tabIndex={-1} className="flex flex-col gap-4 outline-none">
      <p role="status" className="sr-only">
        {count === 0 ? 'No pending approvals.' : `${plural(count, 'pending approval')}.`}
      </p>
      {count === 0 && (
        <EmptyState
          icon={ShieldCheck}
          title="No pending approvals"
          actions={
            <>
              <ButtonLink href="/chat">Chat with an assistant</ButtonLink>
              <ButtonLink href="/settings/connect">Connect a client</ButtonLink>
            </>
          }
        >
          Calls that need approval appear here as soon as an assistant, an MCP client or a program makes them.
        </EmptyState>
      )}
      {(approvals.data.length > 1 || search !== '') && (
        <div className="flex flex-wrap items-center justify-between gap-2 max-sm:sticky max-sm:bottom-0 max-sm:z-10 max-sm:order-last max-sm:-mx-4 max-sm:border-t max-sm:border-line max-sm:bg-surface max-sm:px-4 max-sm:py-2">
          <SearchInput
            label="Filter by tool, server or caller"
            className="max-w-sm max-sm:max-w-none"
            value={search}
            onChange={setSearch}
          />
          <AllowAll approvals={matching} />
        </div>
      )}
      {approvals.data.length > 0 && matching.length === 0 && (
        <p className="py-6 text-center text-ink-soft">No matching approvals.</p>
      )}
      {questions.data.map((question) => (
        <QuestionForm key={question.id} question={question} namesCall />
      ))}
      {shown.map(({ first, others }) =>
        first.script !== undefined && others.length > 0 ? (
          <ScriptApprovals
            key={first.script.call}
            script={first.script.call}
            approvals={[first, ...others].toSorted(inScriptOrder)}
            onAnswered={onAnswered}
          />
        ) : (
          <Card key={first.id} className="animate-appear p-4">
            <ApprovalPanel approval={first} onAnswered={onAnswered} />
          </Card>
        ),
      )}
      {more}
    </div>
  );
}

/** Focuses the approval after or before the focused one: the keys answer the focused approval. */
function focusApproval(container: HTMLElement | null, step: 1 | -1): void {
  const panels = [...(container?.querySelectorAll<HTMLElement>('[data-approval]') ?? [])];
  const at = panels.findIndex((panel) => panel.contains(document.activeElement));
  panels[Math.min(Math.max(at + step, 0), panels.length - 1)]?.focus();
}

interface ApprovalGroup {
  readonly first: Approval;
  readonly others: readonly Approval[];
}

/** The approvals of the calls of one script together, in the place of the first of them. */
function groupByScript(approvals: readonly Approval[]): readonly ApprovalGroup[] {
  const groups = Map.groupBy(approvals, ({ id, script }) => script?.call ?? id);
  return [...groups.values()].flatMap(([first, ...others]) => (first ? { first, others } : []));
}

interface ScriptApprovalsProps {
  /** The id of the script's call. */
  readonly script: string;
  /** The pending approvals of its calls. */
  readonly approvals: readonly Approval[];
  readonly onAnswered: () => void;
}

/** The calls of one script that await approval, with the script: answered all at once or one by one. */
function ScriptApprovals({ script, approvals, onAnswered }: ScriptApprovalsProps) {
  return (
    <Card
      className="animate-appear flex flex-col gap-4 p-4"
      aria-label={plural(approvals.length, {
        one: 'A script makes # call that needs approval',
        other: 'A script makes # calls that need approval',
      })}
    >
      <header className="flex flex-wrap items-center justify-between gap-2">
        <h2>
          {plural(approvals.length, {
            one: 'A script makes # call that needs approval',
            other: 'A script makes # calls that need approval',
          })}
        </h2>
        <TextLink href={`/calls/${encodeURIComponent(script)}`}>Open the call of the script</TextLink>
      </header>
      <ScriptCode script={script} />
      <AllowAll approvals={approvals} />
      <ol className="flex flex-col divide-y divide-line">
        {approvals.map((approval) => (
          <li key={approval.id} className="py-3">
            <ApprovalPanel approval={approval} onAnswered={onAnswered} />
          </li>
        ))}
      </ol>
    </Card>
  );
}
