import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, type ApiKeyInput, api, type NewApiKey } from '../../../api/client.ts';
import { queries } from '../../../api/queries.ts';
import { Button, ButtonLink } from '../../../components/Button.tsx';
import { CopyButton } from '../../../components/CopyButton.tsx';
import { Dialog } from '../../../components/Dialog.tsx';
import { messageOf, Notice } from '../../../components/ErrorNotice.tsx';
import { FormDialog } from '../../../components/FormDialog.tsx';
import { hasFieldProblems, problemAt } from '../../../components/field-problems.ts';
import { Checkbox, SelectField, TextField } from '../../../components/fields.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { useAction } from '../../../components/use-action.ts';

/** Creates a key and shows it once. */
export function KeyDialog({ onClose }: { readonly onClose: () => void }) {
  const [draft, setDraft] = useState(emptyKey);
  const creating = useAction({
    run: () => api.createKey({ body: { ...draft, profile: draft.profile || undefined } }),
    refetch: ['keys'],
    showsError: true,
    // The key is dropped when the dialog closes.
    gcTime: 0,
  });
  if (creating.data) return <NewKey created={creating.data} onClose={onClose} />;
  return (
    <FormDialog
      onClose={onClose}
      title="New key"
      description="The key is shown once, after it is created."
      action="Create key"
      busy={creating.isPending}
      onSubmit={creating.mutate}
    >
      <KeyFields
        draft={draft}
        error={creating.error}
        onChange={(change) => setDraft((current) => ({ ...current, ...change }))}
      />
    </FormDialog>
  );
}

/** Shows the new key once. */
function NewKey({ created, onClose }: { readonly created: NewApiKey; readonly onClose: () => void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Key for ${safeText(created.name, 100)}`}
      footer={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <Notice tone="warn" title="Copy the key now">
          The key is shown only once. Anyone who has it can use it until you revoke it.
        </Notice>
        <div className="flex items-center gap-2 rounded-md border border-line bg-sunken px-3 py-2">
          <code className="min-w-0 flex-1 break-all select-all">{created.key}</code>
          <CopyButton text={created.key} what="key">
            Copy
          </CopyButton>
        </div>
      </div>
    </Dialog>
  );
}

type Right = NonNullable<ApiKeyInput['rights']>[number];

/** A new key in the form. */
interface KeyDraft {
  readonly name: string;
  readonly rights: readonly Right[];
  /** Empty for no profile: the key opens `default`, or every profile if it administers. */
  readonly profile: string;
}

/** The initial values of the form. */
const emptyKey: KeyDraft = { name: '', rights: ['read', 'call'], profile: '' };

interface KeyFieldsProps {
  readonly draft: KeyDraft;
  readonly error: unknown;
  readonly onChange: (change: Partial<KeyDraft>) => void;
}

const rights: readonly { readonly right: Right; readonly label: string; readonly hint: string }[] = [
  { right: 'read', label: 'Read', hint: 'View servers, tools and its own calls.' },
  { right: 'call', label: 'Call', hint: 'Call tools and chat. MCP clients need it.' },
  { right: 'admin', label: 'Administer', hint: 'Full access: servers, keys, approvals and the calls of others.' },
];

/** The fields of a new key. */
function KeyFields({ draft, error, onChange }: KeyFieldsProps) {
  const profiles = useQuery(queries.profiles()).data ?? [];
  const rightsProblem = problemAt(error, 'rights');
  const isAdmin = draft.rights.includes('admin');
  return (
    <>
      <TextField
        label="Name"
        required
        hint="Who or what uses the key."
        error={problemAt(error, 'name')}
        value={draft.name}
        onChange={(text) => onChange({ name: text })}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 font-medium">Rights</legend>
        {rights.map(({ right, label, hint }) => (
          <Checkbox
            key={right}
            label={label}
            hint={hint}
            checked={draft.rights.includes(right)}
            onChange={(isGiven) =>
              onChange({
                rights: isGiven ? [...draft.rights, right] : draft.rights.filter((item) => item !== right),
                // Administrators have access to all profiles.
                ...(isGiven && right === 'admin' && { profile: '' }),
              })
            }
          />
        ))}
        {rightsProblem !== undefined && <p className="text-xs text-bad">{rightsProblem}</p>}
      </fieldset>
      <SelectField
        label="Profile"
        error={problemAt(error, 'profile')}
        hint={isAdmin ? 'Administrators have access to all profiles.' : 'The key has access to one profile.'}
        disabled={isAdmin}
        options={[
          ['', isAdmin ? 'All profiles' : 'None (uses default)'],
          ...profiles.map(({ name }) => [name, safeText(name, 100)] as const),
        ]}
        value={draft.profile}
        onChange={(profile) => onChange({ profile })}
      />
      {error !== null && error !== undefined && !hasFieldProblems(error) && (
        <Notice
          tone="bad"
          actions={
            error instanceof ApiError &&
            error.code === 'FORBIDDEN' && <ButtonLink href="/settings/session">Sign in</ButtonLink>
          }
        >
          {messageOf(error)}
        </Notice>
      )}
    </>
  );
}
