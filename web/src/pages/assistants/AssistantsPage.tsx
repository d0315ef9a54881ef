import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useParams, useSearchParams } from 'wouter';
import type { Provider } from '../../api/client.ts';
import { queries, useIsAdmin } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Page } from '../../components/Page.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { text } from '../../text/text.ts';
import { AssistantEditor } from './AssistantEditor.tsx';
import { AssistantList } from './AssistantList.tsx';
import { type AssistantDraft, demoModel, emptyDraft, toDraft } from './assistant-draft.ts';

/** All assistants, one assistant or a new one, depending on the address. */
export default function AssistantsPage() {
  const { assistant } = useParams<{ assistant?: string }>();
  if (assistant === 'new') return <NewAssistant />;
  if (assistant !== undefined) return <EditAssistant key={assistant} id={assistant} />;
  return <AllAssistants />;
}

function AllAssistants() {
  const assistants = useQuery(queries.assistants());
  const canEdit = useIsAdmin();
  return (
    <Page
      title={text.assistants.title}
      description={text.assistants.description}
      actions={
        canEdit && (
          <ButtonLink href="/assistants/new" look="primary">
            <Plus aria-hidden />
            {text.assistants.new}
          </ButtonLink>
        )
      }
    >
      <QueryState query={assistants} what={text.assistants.many} />
      {assistants.data && <AssistantList assistants={assistants.data} canEdit={canEdit} />}
    </Page>
  );
}

/** A new assistant, empty or a copy of the one named in the address. */
function NewAssistant() {
  const [search] = useSearchParams();
  const copied = search.get('copy');
  const assistants = useQuery(queries.assistants());
  const providers = useQuery(queries.providers());
  const failed = assistants.error ?? providers.error;
  if (failed || !assistants.data || !providers.data) {
    return (
      <Page title={text.assistants.new}>
        {failed ? <ErrorNotice error={failed} /> : <Spinner label={text.assistants.loading} />}
      </Page>
    );
  }
  const original = assistants.data.find(({ id }) => id === copied);
  const draft = original ? copyDraft(toDraft(original)) : { ...emptyDraft, model: defaultModel(providers.data) };
  return <AssistantEditor key={copied} title={text.assistants.new} draft={draft} />;
}

function copyDraft(draft: AssistantDraft): AssistantDraft {
  return { ...draft, name: text.assistants.copyOf(draft.name).slice(0, 100) };
}

/** The first provider that is not the demo. */
function defaultModel(providers: readonly Provider[]): AssistantDraft['model'] {
  const provider = providers.find(({ kind }) => kind !== 'demo');
  return provider ? { provider: provider.id, model: '' } : demoModel;
}

function EditAssistant({ id }: { readonly id: string }) {
  const assistants = useQuery(queries.assistants());
  const assistant = assistants.data?.find((item) => item.id === id);
  if (assistant) return <AssistantEditor title={safeText(assistant.name, 100)} id={id} draft={toDraft(assistant)} />;
  return (
    <Page title={text.assistants.one}>
      <QueryState query={assistants} what={text.assistants.single} />
      {assistants.data && (
        <EmptyState
          title={text.assistants.notFound.title}
          actions={<ButtonLink href="/assistants">{text.assistants.notFound.action}</ButtonLink>}
        >
          {text.assistants.notFound.detail}
        </EmptyState>
      )}
    </Page>
  );
}
