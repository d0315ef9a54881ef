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
import { text } from '../../text/text.ts';
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
      <Form aria-label={text.assistants.one} onSubmit={() => saving.mutate(draft)}>
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
        title={text.assistants.leave.title}
        action={text.assistants.leave.action}
        onConfirm={guard.leave}
        onClose={guard.stay}
      >
        {text.assistants.leave.detail}
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
      <p aria-live="polite" className="min-w-0 flex-1 break-words max-sm:basis-full max-sm:empty:hidden">
        {error ? (
          <span className="text-bad">
            {hasFieldProblems(error)
              ? text.assistants.saveBar.wrongFields
              : text.assistants.saveBar.failed(messageOf(error))}
          </span>
        ) : (
          <span className="text-ink-soft">
            {isChanged ? text.assistants.saveBar.changed : isNew ? '' : text.assistants.saveBar.saved}
          </span>
        )}
      </p>
      {isNew ? (
        <ButtonLink href="/assistants">{text.common.cancel}</ButtonLink>
      ) : (
        <Button disabled={!isChanged || busy} onClick={onReset}>
          {text.assistants.saveBar.discard}
        </Button>
      )}
      <Button type="submit" look="primary" busy={busy} disabled={!isNew && !isChanged}>
        {isNew ? text.assistants.saveBar.create : text.common.save}
      </Button>
    </div>
  );
}
