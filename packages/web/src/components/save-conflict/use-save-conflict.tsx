import type { ReactNode } from 'react';
import { formFields } from '../../../../contract/form-fields.ts';
import { Button } from '../Button.tsx';
import { Dialog } from '../Dialog.tsx';
import { isRecord } from '../is-record.ts';
import { safeText } from '../safe-text.ts';
import type { SettingValues } from '../settings-form/setting-values.ts';
import { findDifferences, readConflict } from './find-differences.ts';

export interface SaveConflictOptions<Stored> {
  readonly record: keyof typeof formFields;
  /** The mutation that saves. Its error ends with `reset`. */
  readonly saving: { readonly error: unknown; readonly isPending: boolean; readonly reset: () => void };
  /** The settings to save; undefined if they cannot be sent. */
  readonly mine: SettingValues | undefined;
  /** The settings of a stored record, in the same form. */
  readonly toSettings: (stored: Stored) => SettingValues;
  /** Saves the settings over this revision. */
  readonly onKeep: (revision: number) => void;
  /** Replaces the form by the stored record. */
  readonly onTake: (stored: Stored, revision: number) => void;
}

/** The dialog about a save that failed because somebody else changed the record meanwhile; undefined without such a conflict. */
export function useSaveConflict<Stored>(options: SaveConflictOptions<Stored>): ReactNode {
  const { record, saving, mine, toSettings, onKeep, onTake } = options;
  const conflict = readConflict<Stored>(saving.error);
  if (!conflict || !mine) return undefined;
  const { current, revision } = conflict;
  const differences = findDifferences(formFields[record], mine, toSettings(current));
  return (
    <Dialog
      open
      onClose={saving.reset}
      shape="wide"
      title={`Somebody else changed this ${record}`}
      description="Nothing was saved. Compare your version with the one that is stored now."
      footer={
        <>
          <Button className="mr-auto" onClick={saving.reset}>
            Back to editing
          </Button>
          <Button
            onClick={() => {
              saving.reset();
              onTake(current, revision);
            }}
          >
            Take theirs
          </Button>
          <Button look="primary" busy={saving.isPending} onClick={() => onKeep(revision)}>
            Keep mine
          </Button>
        </>
      }
    >
      {differences.length === 0 ? (
        <p>Both versions have the same settings.</p>
      ) : (
        <table className="w-full table-fixed text-left">
          <thead className="text-xs text-ink-soft">
            <tr className="border-b border-line *:py-1.5 *:pr-3 *:font-medium">
              <th scope="col" className="w-1/4">
                Setting
              </th>
              <th scope="col">Mine</th>
              <th scope="col">Stored now</th>
            </tr>
          </thead>
          <tbody>
            {differences.map(({ key, label, mine: own, theirs }) => (
              <tr key={key} className="border-b border-line align-top last:border-0 *:py-2 *:pr-3">
                <th scope="row" className="font-medium break-words">
                  {safeText(label, 100)}
                </th>
                <Value value={own} />
                <Value value={theirs} />
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Dialog>
  );
}

function Value({ value }: { readonly value: unknown }) {
  if (value === undefined || value === '') return <td className="text-ink-faint">Not set</td>;
  return <td className="max-h-60 break-words whitespace-pre-wrap">{safeText(toText(value), 2_000)}</td>;
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join('\n');
  // A secret, which nobody sees again.
  if (isRecord(value) && value.set === true) return 'stored';
  return JSON.stringify(value, null, 2);
}
