import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Copy, MessagesSquare, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { type Assistant, api } from '../../../api/client.ts';
import { useIsAdmin } from '../../../api/queries.ts';
import { Button, ButtonLink } from '../../../components/Button.tsx';
import { EditorForm } from '../../../components/EditorForm.tsx';
import { Notice } from '../../../components/ErrorNotice.tsx';
import { Page } from '../../../components/Page.tsx';
import { randomId } from '../../../components/random-id.ts';
import { useSaveConflict } from '../../../components/save-conflict/use-save-conflict.tsx';
import { isSameValue } from '../../../components/settings-form/setting-values.ts';
import { chatAddress } from '../chat-address.ts';
import { AssistantFields } from './AssistantFields.tsx';
import { type AssistantDraft, toDraft, toInput } from './assistant-draft.ts';
import { DeleteAssistant } from './DeleteAssistant.tsx';

export interface AssistantEditorProps {
  readonly title: string;
  /** Undefined for a new assistant. */
  readonly id?: string;
  readonly draft: AssistantDraft;
  /** The revision that was read; undefined for a new assistant. */
  readonly revision?: number;
}

/** The form of an assistant. */
export function AssistantEditor({ title, id, draft: initial, revision: initialRevision }: AssistantEditorProps) {
  const [saved, setSaved] = useState(initial);
  const [revision, setRevision] = useState(initialRevision);
  const [draft, setDraft] = useState(initial);
  const [newId] = useState(randomId);
  const [isDeleting, setDeleting] = useState(false);
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const canEdit = useIsAdmin();
  const isNew = id === undefined;
  const isChanged = !isSameValue(toInput(draft), toInput(saved));

  const saving = useMutation({
    mutationFn: ({ sent, over = revision }: { sent: AssistantDraft; over?: number }) =>
      api.putAssistant({ path: { assistant: id ?? newId }, body: { ...toInput(sent), revision: over } }),
    async onSuccess(stored, { sent }) {
      setSaved(sent);
      setRevision(stored.revision);
      await client.invalidateQueries({ queryKey: ['assistants'] });
      if (isNew) navigate(`/assistants/${newId}`, { replace: true });
    },
  });

  const conflict = useSaveConflict<Assistant>({
    record: 'assistant',
    saving,
    mine: toInput(draft),
    toSettings: (stored) => toInput(toDraft(stored)),
    onKeep: (over) => saving.mutate({ sent: draft, over }),
    onTake(stored) {
      setSaved(toDraft(stored));
      setDraft(toDraft(stored));
      setRevision(stored.revision);
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
                  Duplicate
                </ButtonLink>
                <Button look="quiet" onClick={() => setDeleting(true)}>
                  <Trash2 aria-hidden />
                  Delete
                </Button>
              </>
            )}
            {isChanged ? (
              <Button look="primary" disabled title="Save your changes first">
                Chat
              </Button>
            ) : (
              <ButtonLink href={chatAddress(id)} look="primary">
                <MessagesSquare aria-hidden />
                Chat
              </ButtonLink>
            )}
          </>
        )
      }
    >
      {!canEdit && <Notice title="Read-only">Only administrators can edit assistants.</Notice>}
      <EditorForm
        noun="assistant"
        listAddress="/assistants"
        isNew={isNew}
        isChanged={isChanged}
        canEdit={canEdit}
        saving={saving}
        onSave={() => saving.mutate({ sent: draft })}
        onDiscard={() => setDraft(saved)}
      >
        <AssistantFields
          draft={draft}
          error={saving.error}
          onChange={(change) => setDraft((current) => ({ ...current, ...change }))}
        />
      </EditorForm>
      {conflict}
      <DeleteAssistant
        assistant={isDeleting && id !== undefined ? { id, name: saved.name } : undefined}
        onClose={() => setDeleting(false)}
        onDeleted={() => navigate('/assistants')}
      />
    </Page>
  );
}
