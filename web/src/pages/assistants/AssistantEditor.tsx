import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Copy, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../../api/api.ts';
import { queries } from '../../api/queries.ts';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { Page } from '../../components/Page.tsx';
import { randomId } from '../../components/random-id.ts';
import { AssistantFields } from './AssistantFields.tsx';
import { type AssistantDraft, isSameDraft, toInput } from './assistant-draft.ts';
import { ChatWithButton } from './ChatWithButton.tsx';
import { DeleteAssistant } from './DeleteAssistant.tsx';
import { SaveBar } from './SaveBar.tsx';
import { useLeaveGuard } from './use-leave-guard.ts';

export interface AssistantEditorProps {
  readonly title: string;
  /** Undefined for one that is not stored yet. */
  readonly id?: string;
  readonly draft: AssistantDraft;
}

/** Everything about one assistant, to read and to change. */
export function AssistantEditor({ title, id, draft: given }: AssistantEditorProps) {
  const [saved, setSaved] = useState(given);
  const [draft, setDraft] = useState(given);
  const [newId] = useState(randomId);
  const [isDeleting, setDeleting] = useState(false);
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const mayChange = useQuery(queries.session()).data?.rights.includes('admin') ?? false;
  const isNew = id === undefined;
  const isChanged = !isSameDraft(draft, saved);
  const guard = useLeaveGuard(isChanged);

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
            {mayChange && (
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
            <ChatWithButton
              assistant={id}
              look="primary"
              disabled={isChanged}
              {...(isChanged && { title: 'Save first: it would answer as it was before' })}
            >
              Chat with it
            </ChatWithButton>
          </>
        )
      }
    >
      {!mayChange && (
        <Notice title="You can look, not change">Assistants are changed by administrators of this gateway.</Notice>
      )}
      <form
        noValidate
        aria-label="Assistant"
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate(draft);
        }}
      >
        <fieldset disabled={!mayChange} className="flex min-w-0 flex-col gap-6">
          <AssistantFields
            draft={draft}
            error={saving.error}
            onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
          />
        </fieldset>
        {mayChange && (
          <SaveBar
            isNew={isNew}
            isChanged={isChanged}
            busy={saving.isPending}
            error={saving.error}
            onReset={() => {
              saving.reset();
              setDraft(saved);
            }}
          />
        )}
      </form>
      <ConfirmDialog
        open={guard.isAsking}
        title="Leave without saving?"
        action="Leave"
        onConfirm={guard.leave}
        onClose={guard.stay}
      >
        What you changed here has not been saved, and would be lost.
      </ConfirmDialog>
      <DeleteAssistant
        assistant={isDeleting && id !== undefined ? { id, name: saved.name } : undefined}
        onClose={() => setDeleting(false)}
        onDeleted={() => navigate('/assistants')}
      />
    </Page>
  );
}
