import type { ReactNode } from 'react';
import { text } from '../text/text.ts';
import { Button, ButtonLink } from './Button.tsx';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { messageOf } from './ErrorNotice.tsx';
import { hasFieldProblems } from './field-problems.ts';
import { Form } from './fields.tsx';
import { useLeaveGuard } from './use-leave-guard.ts';

/** The texts of an editor that name the edited thing. */
export interface EditorTexts {
  /** The accessible name of the form. */
  readonly form: string;
  readonly unsaved: string;
  readonly allSaved: string;
  readonly notSaved: (message: string) => string;
  readonly notSavedFields: string;
  readonly create: string;
  readonly discard: string;
  readonly leave: string;
  readonly leaveTitle: string;
  readonly leaveDetail: string;
}

export interface EditorFormProps {
  readonly words: EditorTexts;
  /** The page of all things of this kind, where "Cancel" leads. */
  readonly listAddress: string;
  readonly isNew: boolean;
  readonly isChanged: boolean;
  /** Whether the draft can be sent. */
  readonly isValid?: boolean;
  readonly canEdit: boolean;
  /** The mutation that saves the draft. */
  readonly saving: { readonly error: unknown; readonly isPending: boolean; readonly reset: () => void };
  readonly onSave: () => void;
  readonly onDiscard: () => void;
  /** The fields. */
  readonly children: ReactNode;
}

/** The form of an editor page, with a bar to save at its bottom. Asks before the page is left with unsaved changes. */
export function EditorForm({ words, canEdit, isChanged, onSave, children, ...props }: EditorFormProps) {
  const guard = useLeaveGuard(isChanged);
  return (
    <>
      <Form aria-label={words.form} onSubmit={onSave}>
        <fieldset disabled={!canEdit} className="flex min-w-0 flex-col gap-6">
          {children}
        </fieldset>
        {canEdit && <SaveBar words={words} isChanged={isChanged} {...props} />}
      </Form>
      <ConfirmDialog
        open={guard.needsConfirmation}
        title={words.leaveTitle}
        action={words.leave}
        onConfirm={guard.leave}
        onClose={guard.stay}
      >
        {words.leaveDetail}
      </ConfirmDialog>
    </>
  );
}

type SaveBarProps = Omit<EditorFormProps, 'canEdit' | 'onSave' | 'children'>;

/** The bar at the bottom with the state of the draft and the save button. */
function SaveBar({ words, listAddress, isNew, isChanged, isValid = true, saving, onDiscard }: SaveBarProps) {
  const { error, isPending } = saving;
  return (
    <div
      data-bottom-bar
      className="sticky bottom-0 z-10 -mx-4 mt-6 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-page/95 px-4 py-3 backdrop-blur sm:-mx-6 sm:px-6"
    >
      <p aria-live="polite" className="min-w-0 flex-1 break-words max-sm:basis-full max-sm:empty:hidden">
        {error ? (
          <span className="text-bad">
            {hasFieldProblems(error) ? words.notSavedFields : words.notSaved(messageOf(error))}
          </span>
        ) : (
          <span className="text-ink-soft">{isChanged ? words.unsaved : isNew ? '' : words.allSaved}</span>
        )}
      </p>
      {isNew ? (
        <ButtonLink href={listAddress}>{text.common.cancel}</ButtonLink>
      ) : (
        <Button
          disabled={!isChanged || isPending}
          onClick={() => {
            saving.reset();
            onDiscard();
          }}
        >
          {words.discard}
        </Button>
      )}
      <Button type="submit" look="primary" busy={isPending} disabled={!isValid || (!isNew && !isChanged)}>
        {isNew ? words.create : text.common.save}
      </Button>
    </div>
  );
}
