import { useQuery } from '@tanstack/react-query';
import { Copy, MessagesSquare, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation, useParams, useSearchParams } from 'wouter';
import { type Assistant, api, type Provider } from '../../../api/client.ts';
import { useMay } from '../../../api/queries.ts';
import { Button, ButtonLink } from '../../../components/Button.tsx';
import { EditorForm, useEditor } from '../../../components/EditorForm.tsx';
import { ErrorNotice, Notice } from '../../../components/ErrorNotice.tsx';
import { Page } from '../../../components/Page.tsx';
import { QueryState } from '../../../components/QueryState.tsx';
import { MissingRecord } from '../../../components/RecordCard.tsx';
import { randomId } from '../../../components/random-id.ts';
import { Spinner } from '../../../components/Spinner.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { chatAddress } from '../chat-address.ts';
import { chatQueries } from '../queries.ts';
import { AssistantFields } from './AssistantFields.tsx';
import { AssistantList, NewAssistantLink } from './AssistantList.tsx';
import { type AssistantDraft, demoModel, emptyDraft, toDraft, toInput } from './assistant-draft.ts';
import { DeleteAssistant } from './DeleteAssistant.tsx';

/** All assistants, one assistant or a new one, depending on the address. */
export default function AssistantsPage() {
  const { assistant } = useParams<{ assistant?: string }>();
  if (assistant === 'new') return <NewAssistant />;
  if (assistant !== undefined) return <EditAssistant key={assistant} id={assistant} />;
  return <AllAssistants />;
}

function AllAssistants() {
  const assistants = useQuery(chatQueries.assistants());
  const canEdit = useMay('assistants.write');
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

interface AssistantEditorProps {
  readonly title: string;
  /** Undefined for a new assistant. */
  readonly assistant?: Assistant;
  readonly draft: AssistantDraft;
}

/** The form of an assistant. */
function AssistantEditor({ title, assistant, draft: initial }: AssistantEditorProps) {
  const [newId] = useState(randomId);
  const [isDeleting, setDeleting] = useState(false);
  const [, navigate] = useLocation();
  const canEdit = useMay('assistants.write');
  const id = assistant?.id ?? newId;
  const editor = useEditor({
    noun: 'assistant',
    stored: assistant,
    initial,
    toDraft,
    toBody: toInput,
    save: (body) => api.putAssistant({ path: { assistant: id }, body }),
    keyOf: (stored: Assistant) => stored.id,
  });
  return (
    <Page
      title={title}
      actions={
        assistant && (
          <>
            {canEdit && (
              <>
                <ButtonLink href={`/assistants/new?copy=${id}`} look="quiet" icon={Copy}>
                  Duplicate
                </ButtonLink>
                <Button look="quiet" onClick={() => setDeleting(true)} icon={Trash2}>
                  Delete
                </Button>
              </>
            )}
            {editor.isChanged ? (
              <Button look="primary" disabled title="Save your changes first">
                Chat
              </Button>
            ) : (
              <ButtonLink href={chatAddress(id)} look="primary" icon={MessagesSquare}>
                Chat
              </ButtonLink>
            )}
          </>
        )
      }
    >
      {!canEdit && <Notice title="Read-only">Only administrators can edit assistants.</Notice>}
      <EditorForm editor={editor} canEdit={canEdit}>
        <AssistantFields {...editor.fields} />
      </EditorForm>
      <DeleteAssistant
        assistant={isDeleting ? assistant : undefined}
        onClose={() => setDeleting(false)}
        onDeleted={() => navigate('/assistants')}
      />
    </Page>
  );
}
