import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { queries } from '../../api/queries.ts';
import { Page } from '../../components/Page.tsx';
import { Tabs } from '../../components/Tabs.tsx';
import { AnsweredList } from './AnsweredList.tsx';
import { Inbox } from './Inbox.tsx';
import { RuleList } from './RuleList.tsx';

/** What waits for a person, what was answered, and which answers are remembered. */
export default function ApprovalsPage() {
  const [search, setSearch] = useSearchParams();
  const isAdmin = useQuery(queries.session()).data?.rights.includes('admin') === true;
  const pending = useQuery(queries.approvals('pending')).data?.length ?? 0;
  const questions = useQuery(queries.questions()).data?.length ?? 0;
  const waiting = pending + questions;
  const tabs = [
    { id: 'waiting', label: waiting === 0 ? 'Waiting' : `Waiting (${waiting})`, content: <Inbox /> },
    { id: 'answered', label: 'Answered', content: <AnsweredList /> },
    // Remembered answers hold for everyone, so only administrators see and revoke them.
    ...(isAdmin ? [{ id: 'rules', label: 'Rules', content: <RuleList /> }] : []),
  ];
  const asked = search.get('tab');
  const value = tabs.find(({ id }) => id === asked)?.id ?? 'waiting';
  return (
    <Page
      title="Approvals"
      description="Calls that wait for a yes or a no, wherever they were made. Whoever answers first decides."
    >
      <Tabs
        label="Approvals"
        tabs={tabs}
        value={value}
        onChange={(id) => setSearch(id === 'waiting' ? {} : { tab: id }, { replace: true })}
      />
    </Page>
  );
}
