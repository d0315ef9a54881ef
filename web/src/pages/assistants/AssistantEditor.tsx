import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Copy, MessagesSquare, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../../api/client.ts';
import { useIsAdmin } from '../../api/queries.ts';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { messageOf, Notice } from '../../components/ErrorNotice.tsx';
import { hasFieldProblems } from '../../components/field-problems.ts';
import { Form } from '../../components/fields.tsx';
import { Page } from '../../components/Page.tsx';
import { randomId } from '../../components/random-id.ts';
import { chatAddress } from '../chat/chat-address.ts';
import { AssistantFields } from './AssistantFields.tsx';
import { type AssistantDraft, isSameDraft, toInput } from './assistant-draft.ts';
import { DeleteAssistant } from './DeleteAssistant.tsx';
import { useLeaveGuard } from './use-leave-guard.ts';

export interface AssistantEditorProps {
  readonly title: string;
  /** Undefined for a new assistant. */
  readonly id?: string;
  readonly draft: AssistantDraft;
}

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
      <Form aria-label="Assistant" onSubmit={() => saving.mutate(draft)}>
        <fieldset disabled={!canEdit} className="flex min-w-0 flex-col gap-6">
          <AssistantFields
            draft={draft}
            error={saving.error}
            onChange={(change) => setDraft((current) => ({ ...current, ...change }))}
          />
        </fieldset>
        {canEdit && (
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
      </Form>
      <ConfirmDialog
        open={guard.needsConfirmation}
        title="Leave without saving?"
        action="Leave"
        onConfirm={guard.leave}
        onClose={guard.stay}
      >
        Your unsaved changes will be lost.
      </ConfirmDialog>
      <DeleteAssistant
        assistant={isDeleting && id !== undefined ? { id, name: saved.name } : undefined}
        onClose={() => setDeleting(false)}
        onDeleted={() => navigate('/assistants')}
      />
    </Page>
  );
}

interface SaveBarProps {
  readonly isNew: boolean;
  readonly isChanged: boolean;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onReset: () => void;
}

/** The bar at the bottom with the state of the draft and the save button. */
function SaveBar({ isNew, isChanged, busy, error, onReset }: SaveBarProps) {
  return (
    <div className="sticky bottom-0 z-10 -mx-4 mt-6 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-page/95 px-4 py-3 backdrop-blur sm:-mx-6 sm:px-6">
      <p aria-live="polite" className="min-w-0 flex-1 basis-24 break-words">
        {error ? (
          <span className="text-bad">
            {hasFieldProblems(error) ? 'Not saved. Correct the marked fields.' : `Not saved. ${messageOf(error)}`}
          </span>
        ) : (
          <span className="text-ink-soft">{isChanged ? 'Unsaved changes' : isNew ? '' : 'All changes saved'}</span>
        )}
      </p>
      {isNew ? (
        <ButtonLink href="/assistants">Cancel</ButtonLink>
      ) : (
        <Button disabled={!isChanged || busy} onClick={onReset}>
          Discard changes
        </Button>
      )}
      <Button type="submit" look="primary" busy={busy} disabled={!isNew && !isChanged}>
        {isNew ? 'Create assistant' : 'Save'}
      </Button>
    </div>
  );
}
