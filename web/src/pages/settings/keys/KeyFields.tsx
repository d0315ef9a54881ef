import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../../../api/client.ts';
import { queries } from '../../../api/queries.ts';
import { ButtonLink } from '../../../components/Button.tsx';
import { messageOf, Notice } from '../../../components/ErrorNotice.tsx';
import { hasFieldProblems, problemAt } from '../../../components/field-problems.ts';
import { Checkbox, Field, Input, Select } from '../../../components/fields.tsx';
import { safeText } from '../../../components/safe-text.ts';
import type { KeyDraft, Right } from './key-draft.ts';

export interface KeyFieldsProps {
  readonly draft: KeyDraft;
  readonly error: unknown;
  readonly onChange: (change: Partial<KeyDraft>) => void;
}

const rights: readonly { readonly right: Right; readonly label: string; readonly hint: string }[] = [
  { right: 'read', label: 'Read', hint: 'See servers, tools and its own calls.' },
  { right: 'call', label: 'Call', hint: 'Call tools and chat. Needed by MCP clients.' },
  { right: 'admin', label: 'Administer', hint: 'Everything: servers, keys, other callers, answers to questions.' },
];

export function KeyFields({ draft, error, onChange }: KeyFieldsProps) {
  const profiles = useQuery(queries.profiles()).data ?? [];
  const rightsProblem = problemAt(error, 'rights');
  return (
    <>
      <Field label="Name" required hint="Who or what uses it." error={problemAt(error, 'name')}>
        {(props) => (
          <Input {...props} value={draft.name} onChange={(event) => onChange({ name: event.target.value })} />
        )}
      </Field>
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
                rights: isGiven ? [...draft.rights, right] : draft.rights.filter((one) => one !== right),
                // Administrators are not held to a profile.
                ...(isGiven && right === 'admin' && { profile: '' }),
              })
            }
          />
        ))}
        {rightsProblem !== undefined && <p className="text-xs text-bad">{rightsProblem}</p>}
      </fieldset>
      <Field
        label="Profile"
        error={problemAt(error, 'profile')}
        hint={
          draft.rights.includes('admin')
            ? 'An administrator is not held to a profile.'
            : 'What it can reach: everything, or only what one profile serves.'
        }
      >
        {(props) => (
          <Select
            {...props}
            disabled={draft.rights.includes('admin')}
            value={draft.profile}
            onChange={(event) => onChange({ profile: event.target.value })}
          >
            <option value="">All profiles</option>
            {profiles.map(({ name }) => (
              <option key={name} value={name}>
                {safeText(name, 100)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {error !== null && error !== undefined && !hasFieldProblems(error) && (
        <Notice
          tone="bad"
          {...(error instanceof ApiError &&
            error.code === 'FORBIDDEN' && { actions: <ButtonLink href="/settings/session">Sign in</ButtonLink> })}
        >
          {messageOf(error)}
        </Notice>
      )}
    </>
  );
}
