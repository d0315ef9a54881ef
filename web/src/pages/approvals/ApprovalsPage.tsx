import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { queries } from '../../api/queries.ts';
import { Page } from '../../components/Page.tsx';
import { Tabs } from '../../components/Tabs.tsx';
import { AnsweredList } from './AnsweredList.tsx';
import { PendingList } from './PendingList.tsx';
import { RuleList } from './RuleList.tsx';

/** Pending approvals, answered approvals and rules. */
export default function ApprovalsPage() {
  const [search, setSearch] = useSearchParams();
  const isAdmin = useQuery(queries.session()).data?.rights.includes('admin') === true;
  const approvals = useQuery(queries.approvals('pending')).data?.length ?? 0;
  const questions = useQuery(queries.questions()).data?.length ?? 0;
  const pending = approvals + questions;
  const tabs = [
    { id: 'pending', label: pending === 0 ? 'Pending' : `Pending (${pending})`, content: <PendingList /> },
    { id: 'answered', label: 'Answered', content: <AnsweredList /> },
    // Rules apply to everyone, so only administrators see and revoke them.
    ...(isAdmin ? [{ id: 'rules', label: 'Rules', content: <RuleList /> }] : []),
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
