import { useQuery } from '@tanstack/react-query';
import { queries } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Page } from '../../components/Page.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { AssistantEditor } from './AssistantEditor.tsx';
import { toDraft } from './assistant-draft.ts';

export function EditAssistant({ id }: { readonly id: string }) {
  const assistants = useQuery(queries.assistants());
  const assistant = assistants.data?.find((one) => one.id === id);
  if (assistant) return <AssistantEditor title={safeText(assistant.name, 100)} id={id} draft={toDraft(assistant)} />;
  return (
    <Page title="Assistant">
      {assistants.isError && <ErrorNotice error={assistants.error} onRetry={() => void assistants.refetch()} />}
      {assistants.isPending && <Spinner label="Loading the assistant …" />}
      {assistants.data && (
        <EmptyState
          title="There is no such assistant"
          actions={<ButtonLink href="/assistants">All assistants</ButtonLink>}
        >
          It may have been deleted.
        </EmptyState>
      )}
    </Page>
  );
}
