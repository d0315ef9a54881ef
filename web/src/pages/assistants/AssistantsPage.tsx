import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useParams } from 'wouter';
import { queries } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Page } from '../../components/Page.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { AssistantList } from './AssistantList.tsx';
import { EditAssistant } from './EditAssistant.tsx';
import { NewAssistant } from './NewAssistant.tsx';

/** The assistants; with an id in the address, one of them; with `new`, one that is being made. */
export default function AssistantsPage() {
  const { assistant } = useParams<{ assistant?: string }>();
  if (assistant === 'new') return <NewAssistant />;
  if (assistant !== undefined) return <EditAssistant key={assistant} id={assistant} />;
  return <AllAssistants />;
}

function AllAssistants() {
  const assistants = useQuery(queries.assistants());
  const mayChange = useQuery(queries.session()).data?.rights.includes('admin') ?? false;
  return (
    <Page
      title="Assistants"
      description="A model with instructions, the tools it may use, and when it has to ask you first."
      actions={
        mayChange && (
          <ButtonLink href="/assistants/new" look="primary">
            <Plus aria-hidden />
            New assistant
          </ButtonLink>
        )
      }
    >
      {assistants.isError && <ErrorNotice error={assistants.error} onRetry={() => void assistants.refetch()} />}
      {assistants.isPending && <Spinner label="Loading the assistants …" />}
      {assistants.data && <AssistantList assistants={assistants.data} mayChange={mayChange} />}
    </Page>
  );
}
