import { Button, ButtonLink } from '../../components/Button.tsx';
import { messageOf } from '../../components/ErrorNotice.tsx';
import { hasFieldProblems } from '../../components/field-problems.ts';

export interface SaveBarProps {
  readonly isNew: boolean;
  readonly isChanged: boolean;
  readonly busy: boolean;
  /** Why it was not saved. */
  readonly error: unknown;
  readonly onReset: () => void;
}

/** Always in sight: whether something is unsaved, and the way to save it. */
export function SaveBar({ isNew, isChanged, busy, error, onReset }: SaveBarProps) {
  return (
    <div className="sticky bottom-0 z-10 -mx-4 mt-6 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-page/95 px-4 py-3 backdrop-blur sm:-mx-6 sm:px-6">
      <p aria-live="polite" className="min-w-0 flex-1 basis-24 break-words">
        {error ? (
          <span className="text-bad">
            {hasFieldProblems(error) ? 'Not saved: look at the fields marked above.' : `Not saved: ${messageOf(error)}`}
          </span>
        ) : (
          <span className="text-ink-soft">{isChanged ? 'Unsaved changes' : isNew ? '' : 'Everything is saved'}</span>
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
