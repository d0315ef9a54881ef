import { useQuery } from '@tanstack/react-query';
import { useParams, useSearchParams } from 'wouter';
import type { Provider } from '../../../api/client.ts';
import { useIsAdmin } from '../../../api/queries.ts';
import { ErrorNotice } from '../../../components/ErrorNotice.tsx';
import { Page } from '../../../components/Page.tsx';
import { QueryState } from '../../../components/QueryState.tsx';
import { MissingRecord } from '../../../components/RecordCard.tsx';
import { Spinner } from '../../../components/Spinner.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { chatQueries } from '../queries.ts';
import { AssistantEditor } from './AssistantEditor.tsx';
import { AssistantList, NewAssistantLink } from './AssistantList.tsx';
import { type AssistantDraft, demoModel, emptyDraft, toDraft } from './assistant-draft.ts';

/** All assistants, one assistant or a new one, depending on the address. */
export default function AssistantsPage() {
  const { assistant } = useParams<{ assistant?: string }>();
  if (assistant === 'new') return <NewAssistant />;
  if (assistant !== undefined) return <EditAssistant key={assistant} id={assistant} />;
  return <AllAssistants />;
}

function AllAssistants() {
  const assistants = useQuery(chatQueries.assistants());
  const canEdit = useIsAdmin();
  return (
    <Page
      title="Assistants"
      description="A model with instructions, tools and an approval mode."
      actions={canEdit && <NewAssistantLink />}
    >
      <QueryState query={assistants} what="assistants" />
      {assistants.data && <AssistantList assistants={assistants.data} canEdit={canEdit} />}
    </Page>
  );
}

/** A new assistant, empty or a copy of the one named in the address. */
function NewAssistant() {
  const [search] = useSearchParams();
  const copied = search.get('copy');
  const assistants = useQuery(chatQueries.assistants());
  const providers = useQuery(chatQueries.providers());
  const failed = assistants.error ?? providers.error;
  if (failed || !assistants.data || !providers.data) {
    return (
      <Page title="New assistant">
        {failed ? <ErrorNotice error={failed} /> : <Spinner label="Loading assistants …" />}
      </Page>
    );
  }
  const original = assistants.data.find(({ id }) => id === copied);
  const draft = original ? copyDraft(toDraft(original)) : { ...emptyDraft, model: defaultModel(providers.data) };
  return <AssistantEditor key={copied} title="New assistant" draft={draft} />;
}

function copyDraft(draft: AssistantDraft): AssistantDraft {
  return { ...draft, name: `Copy of ${draft.name}`.slice(0, 100) };
}

/** The first provider that is not the demo. */
function defaultModel(providers: readonly Provider[]): AssistantDraft['model'] {
  const provider = providers.find(({ kind }) => kind !== 'demo');
  return provider ? { provider: provider.id, model: '' } : demoModel;
}

function EditAssistant({ id }: { readonly id: string }) {
  const assistants = useQuery(chatQueries.assistants());
  const assistant = assistants.data?.find((item) => item.id === id);
  if (assistant) {
    return <AssistantEditor title={safeText(assistant.name, 100)} assistant={assistant} draft={toDraft(assistant)} />;
  }
  return <MissingRecord noun="assistant" query={assistants} />;
}
