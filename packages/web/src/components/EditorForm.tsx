import type { ReactNode } from 'react';
import { Button, ButtonLink } from './Button.tsx';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { messageOf } from './ErrorNotice.tsx';
import { hasFieldProblems } from './field-problems.ts';
import { Form } from './fields.tsx';
import { useLeaveGuard } from './use-leave-guard.ts';

export interface EditorFormProps {
  /** The kind of thing that is edited, such as `profile`. */
  readonly noun: string;
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
export function EditorForm({ noun, canEdit, isChanged, onSave, children, ...props }: EditorFormProps) {
  const guard = useLeaveGuard(isChanged);
  return (
    <>
      <Form aria-label={capitalize(noun)} onSubmit={onSave}>
        <fieldset disabled={!canEdit} className="flex min-w-0 flex-col gap-6">
          {children}
        </fieldset>
        {canEdit && <SaveBar noun={noun} isChanged={isChanged} {...props} />}
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
    </>
  );
}

type SaveBarProps = Omit<EditorFormProps, 'canEdit' | 'onSave' | 'children'>;

/** The bar at the bottom with the state of the draft and the save button. */
function SaveBar({ noun, listAddress, isNew, isChanged, isValid = true, saving, onDiscard }: SaveBarProps) {
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
        <ButtonLink href={listAddress}>Cancel</ButtonLink>
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

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
