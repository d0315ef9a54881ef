import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Copy, MessagesSquare, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../../api/client.ts';
import { useIsAdmin } from '../../api/queries.ts';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { EditorForm, type EditorTexts } from '../../components/EditorForm.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { Page } from '../../components/Page.tsx';
import { randomId } from '../../components/random-id.ts';
import { text } from '../../text/text.ts';
import { chatAddress } from '../chat/chat-address.ts';
import { AssistantFields } from './AssistantFields.tsx';
import { type AssistantDraft, isSameDraft, toInput } from './assistant-draft.ts';
import { DeleteAssistant } from './DeleteAssistant.tsx';

export interface AssistantEditorProps {
  readonly title: string;
  /** Undefined for a new assistant. */
  readonly id?: string;
  readonly draft: AssistantDraft;
}

const { saveBar, leave } = text.assistants;
const words: EditorTexts = {
  form: text.assistants.one,
  unsaved: saveBar.changed,
  allSaved: saveBar.saved,
  notSaved: saveBar.failed,
  notSavedFields: saveBar.wrongFields,
  create: saveBar.create,
  discard: saveBar.discard,
  leave: leave.action,
  leaveTitle: leave.title,
  leaveDetail: leave.detail,
};

/** The form of an assistant. */
export function AssistantEditor({ title, id, draft: initial }: AssistantEditorProps) {
  const [saved, setSaved] = useState(initial);
  const [draft, setDraft] = useState(initial);
  const [newId] = useState(randomId);
  const [isDeleting, setDeleting] = useState(false);
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const canEdit = useIsAdmin();
  const isNew = id === undefined;
  const isChanged = !isSameDraft(draft, saved);

  const saving = useMutation({
    mutationFn: (sent: AssistantDraft) => api.putAssistant({ path: { assistant: id ?? newId }, body: toInput(sent) }),
    async onSuccess(_stored, sent) {
      setSaved(sent);
      await client.invalidateQueries({ queryKey: ['assistants'] });
      if (isNew) navigate(`/assistants/${newId}`, { replace: true });
    },
  });

  return (
    <Page
      title={title}
      actions={
        !isNew && (
          <>
            {canEdit && (
              <>
                <ButtonLink href={`/assistants/new?copy=${id}`} look="quiet">
                  <Copy aria-hidden />
                  {text.assistants.duplicate}
                </ButtonLink>
                <Button look="quiet" onClick={() => setDeleting(true)}>
                  <Trash2 aria-hidden />
                  {text.assistants.delete.action}
                </Button>
              </>
            )}
            {isChanged ? (
              <Button look="primary" disabled title={text.assistants.saveFirst}>
                {text.assistants.chat}
              </Button>
            ) : (
              <ButtonLink href={chatAddress(id)} look="primary">
                <MessagesSquare aria-hidden />
                {text.assistants.chat}
              </ButtonLink>
            )}
          </>
        )
      }
    >
      {!canEdit && <Notice title={text.assistants.readOnly.title}>{text.assistants.readOnly.detail}</Notice>}
      <EditorForm
        words={words}
        listAddress="/assistants"
        isNew={isNew}
        isChanged={isChanged}
        canEdit={canEdit}
        saving={saving}
        onSave={() => saving.mutate(draft)}
        onDiscard={() => setDraft(saved)}
      >
        <AssistantFields
          draft={draft}
          error={saving.error}
          onChange={(change) => setDraft((current) => ({ ...current, ...change }))}
        />
      </EditorForm>
      <DeleteAssistant
        assistant={isDeleting && id !== undefined ? { id, name: saved.name } : undefined}
        onClose={() => setDeleting(false)}
        onDeleted={() => navigate('/assistants')}
      />
    </Page>
  );
}
