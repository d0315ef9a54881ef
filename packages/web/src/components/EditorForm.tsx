import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import type { formFields } from '../../../contract/form-fields.ts';
import { capitalize } from '../text/capitalize.ts';
import { Button, ButtonLink } from './Button.tsx';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { messageOf } from './ErrorNotice.tsx';
import { hasFieldProblems } from './field-problems.ts';
import { Form } from './fields.tsx';
import { useSaveConflict } from './save-conflict/use-save-conflict.tsx';
import { isSameValue, type SettingValues } from './settings-form/setting-values.ts';
import { useLeaveGuard } from './use-leave-guard.ts';

interface Stored {
  readonly name: string;
  readonly revision?: number;
}

export interface EditorOptions<Draft, Body, Record extends Stored> {
  /** The kind of record that is edited. */
  readonly noun: keyof typeof formFields;
  /** The record as it was read; undefined for a new one. */
  readonly stored: Record | undefined;
  /** The initial values of the form. */
  readonly initial: Draft;
  readonly toDraft: (stored: Record) => Draft;
  /** The settings to send; undefined if the draft cannot be sent. */
  readonly toBody: (draft: Draft) => Body | undefined;
  readonly save: (body: Body & { readonly revision?: number }, draft: Draft) => Promise<Record>;
  /** What the address of a record ends with. Default: its name. */
  readonly keyOf?: (stored: Record) => string;
}

/** The state of an editor page: the draft of a record, saved with its revision. */
export function useEditor<Draft extends { readonly name: string }, Body extends SettingValues, Record extends Stored>(
  options: EditorOptions<Draft, Body, Record>,
) {
  const { noun, stored, initial, toDraft, toBody, save, keyOf = ({ name }) => name } = options;
  const [saved, setSaved] = useState({ draft: initial, revision: stored?.revision });
  const [draft, setDraft] = useState(initial);
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const body = toBody(draft);
  const saving = useMutation({
    mutationFn: (sent: { readonly body: Body; readonly draft: Draft; readonly revision?: number }) =>
      save({ ...sent.body, revision: sent.revision }, sent.draft),
    async onSuccess(record, sent) {
      setSaved({ draft: toDraft(record), revision: record.revision });
      // The person may have typed on meanwhile.
      setDraft((current) => (current === sent.draft ? toDraft(record) : current));
      await client.invalidateQueries({ queryKey: [`${noun}s`] });
      if (!stored) navigate(`/${noun}s/${encodeURIComponent(keyOf(record))}`, { replace: true });
    },
  });
  const onSave = (revision = saved.revision) => body && saving.mutate({ body, draft, revision });
  const conflict = useSaveConflict<Record>({
    record: noun,
    saving,
    mine: body,
    toSettings: (record) => toBody(toDraft(record)) ?? {},
    onKeep: onSave,
    onTake(record, revision) {
      setSaved({ draft: toDraft(record), revision });
      setDraft(toDraft(record));
    },
  });
  return {
    noun,
    draft,
    isNew: stored === undefined,
    isChanged: draft.name !== saved.draft.name || !isSameValue(body ?? draft, toBody(saved.draft)),
    isValid: body !== undefined,
    saving,
    conflict,
    onSave: () => onSave(),
    onDiscard: () => setDraft(saved.draft),
    /** Of the fields; with the error of the last attempt to save, which they show. */
    fields: {
      draft,
      isNew: stored === undefined,
      error: saving.error as unknown,
      onChange: (change: Partial<Draft>) => setDraft((current) => ({ ...current, ...change })),
    },
  };
}

/** What `useEditor` returns, whatever is edited. */
type Editor = Omit<ReturnType<typeof useEditor>, 'draft' | 'fields' | 'saving'> & {
  readonly saving: { readonly error: unknown; readonly isPending: boolean; readonly reset: () => void };
};

export interface EditorFormProps {
  readonly editor: Editor;
  readonly canEdit: boolean;
  /** The fields. */
  readonly children: ReactNode;
}

/** The form of an editor page, with a bar to save at its bottom. Asks before the page is left with unsaved changes. */
export function EditorForm({ editor, canEdit, children }: EditorFormProps) {
  const guard = useLeaveGuard(editor.isChanged);
  return (
    <>
      <Form aria-label={capitalize(editor.noun)} onSubmit={editor.onSave}>
        <fieldset disabled={!canEdit} className="flex min-w-0 flex-col gap-6">
          {children}
        </fieldset>
        {canEdit && <SaveBar {...editor} />}
      </Form>
      {editor.conflict}
      <ConfirmDialog
        open={guard.needsConfirmation}
        title="Leave without saving?"
        action="Leave"
        onConfirm={guard.leave}
        onClose={guard.stay}
      >
        Your unsaved changes will be lost.
      </ConfirmDialog>
    </>
  );
}

/** The bar at the bottom with the state of the draft and the save button. */
function SaveBar({ noun, isNew, isChanged, isValid, saving, onDiscard }: Editor) {
  const { error, isPending } = saving;
  return (
    <div
      data-bottom-bar
      className="sticky bottom-0 z-10 -mx-4 mt-6 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-page/95 px-4 py-3 backdrop-blur sm:-mx-6 sm:px-6"
    >
      <p aria-live="polite" className="min-w-0 flex-1 break-words max-sm:basis-full max-sm:empty:hidden">
        {error ? (
          <span className="text-bad">
            {hasFieldProblems(error) ? 'Not saved. Correct the marked fields.' : `Not saved. ${messageOf(error)}`}
          </span>
        ) : (
          <span className="text-ink-soft">{isChanged ? 'Unsaved changes' : isNew ? '' : 'All changes saved'}</span>
        )}
      </p>
      {isNew ? (
        <ButtonLink href={`/${noun}s`}>Cancel</ButtonLink>
      ) : (
        <Button
          disabled={!isChanged || isPending}
          onClick={() => {
            saving.reset();
            onDiscard();
          }}
        >
          Discard changes
        </Button>
      )}
      <Button type="submit" look="primary" busy={isPending} disabled={!isValid || (!isNew && !isChanged)}>
        {isNew ? `Create ${noun}` : 'Save'}
      </Button>
    </div>
  );
}
