import { useQuery } from '@tanstack/react-query';
import { ApiError, type ApiKeyInput } from '../../../api/client.ts';
import { queries } from '../../../api/queries.ts';
import { ButtonLink } from '../../../components/Button.tsx';
import { messageOf, Notice } from '../../../components/ErrorNotice.tsx';
import { hasFieldProblems, problemAt } from '../../../components/field-problems.ts';
import { Checkbox, Field, Input, Select } from '../../../components/fields.tsx';
import { safeText } from '../../../components/safe-text.ts';

type Right = NonNullable<ApiKeyInput['rights']>[number];

/** A new key in the form. */
export interface KeyDraft {
  readonly name: string;
  readonly rights: readonly Right[];
  /** Empty for all profiles. */
  readonly profile: string;
}

/** The initial values of the form. */
export const emptyKey: KeyDraft = { name: '', rights: ['read', 'call'], profile: '' };

/** The body of the request. */
export function toKeyInput({ name, rights, profile }: KeyDraft): ApiKeyInput {
  return { name, rights, profile: profile || undefined };
}

export interface KeyFieldsProps {
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
export function KeyFields({ draft, error, onChange }: KeyFieldsProps) {
  const profiles = useQuery(queries.profiles()).data ?? [];
  const rightsProblem = problemAt(error, 'rights');
  return (
    <>
      <Field label="Name" required hint="Who or what uses the key." error={problemAt(error, 'name')}>
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
                rights: isGiven ? [...draft.rights, right] : draft.rights.filter((item) => item !== right),
                // Administrators have access to all profiles.
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
            ? 'Administrators have access to all profiles.'
            : 'Limits the key to the servers and tools of one profile.'
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
