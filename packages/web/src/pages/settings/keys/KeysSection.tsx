import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import type { Permission } from '../../../../../contract/rights.ts';
import { ApiError, type ApiKey, type ApiKeyInput, api, type NewApiKey } from '../../../api/client.ts';
import { queries, useMay } from '../../../api/queries.ts';
import { Badge } from '../../../components/Badge.tsx';
import { Button, ButtonLink } from '../../../components/Button.tsx';
import { Card, CardHeader } from '../../../components/Card.tsx';
import { RemovalDialog } from '../../../components/ConfirmDialog.tsx';
import { CopyButton } from '../../../components/CopyButton.tsx';
import { Dialog } from '../../../components/Dialog.tsx';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { messageOf, Notice } from '../../../components/ErrorNotice.tsx';
import { FormDialog } from '../../../components/FormDialog.tsx';
import { hasFieldProblems, problemAt } from '../../../components/field-problems.ts';
import { Checkbox, SelectField, TextField } from '../../../components/fields.tsx';
import { QueryState } from '../../../components/QueryState.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { TimeAgo } from '../../../components/times.tsx';
import { useAction } from '../../../components/use-action.ts';
import { useFirstPart } from '../../../components/use-first-part.tsx';
import { formatNumber } from '../../../text/formats.ts';

/** The API keys of clients and programs. */
export function KeysSection() {
  // No event reports the last use of a key: the list is refetched when opened.
  const keys = useQuery({ ...queries.keys(), staleTime: 0 });
  const managesAll = useMay('keys.write');
  const [isCreating, setCreating] = useState(false);
  const [selected, setSelected] = useState<ApiKey>();
  const active = keys.data?.filter(({ revokedAt }) => revokedAt === undefined) ?? [];
  const revoked = keys.data?.filter(({ revokedAt }) => revokedAt !== undefined) ?? [];
  return (
    <Card>
      <CardHeader
        title={managesAll ? 'API keys' : 'Personal keys'}
        hint={
          managesAll
            ? 'For MCP clients and programs. Only a hash of each key is stored.'
            : 'For your own MCP clients and programs. A key never grants more than your roles do, and ends with your access.'
        }
        actions={
          <Button size="small" look="primary" onClick={() => setCreating(true)} icon={Plus}>
            New key
          </Button>
        }
      />
      <QueryState query={keys} what="keys" className="p-4" />
      {keys.data && active.length === 0 && (
        <EmptyState
          icon={KeyRound}
          title="No keys yet"
          actions={<Button onClick={() => setCreating(true)}>Create a key</Button>}
        >
          {managesAll
            ? 'Clients on other machines need a key. If authentication is required, every client does.'
            : 'A client that can open the browser needs no key: it takes the URL, and you sign in.'}
        </EmptyState>
      )}
      {active.length > 0 && <KeyList label="Keys" keys={active} onRevoke={setSelected} />}
      {revoked.length > 0 && (
        <details className="border-t border-line">
          <summary className="cursor-pointer px-4 py-2 text-ink-soft">
            {`Revoked (${formatNumber(revoked.length)})`}
          </summary>
          <KeyList label="Revoked keys" keys={revoked} />
        </details>
      )}
      {isCreating && <KeyDialog onClose={() => setCreating(false)} />}
      <RemovalDialog
        item={selected}
        title={({ name }) => `Revoke ${safeText(name, 100)}?`}
        action="Revoke"
        remove={({ id }) => api.revokeKey({ path: { key: id } })}
        done="Key revoked."
        queryKey="keys"
        onClose={() => setSelected(undefined)}
      >
        {() => 'Clients that use the key lose access at once. This cannot be undone.'}
      </RemovalDialog>
    </Card>
  );
}

const pageSize = 50;

interface KeyListProps {
  readonly label: string;
  readonly keys: readonly ApiKey[];
  /** Undefined for revoked keys. */
  readonly onRevoke?: (key: ApiKey) => void;
}

/** A list of keys. */
function KeyList({ label, keys, onRevoke }: KeyListProps) {
  const [shown, more] = useFirstPart(keys, pageSize);
  return (
    <>
      <ul aria-label={label} className="divide-y divide-line">
        {shown.map((key) => (
          <li key={key.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
            <div className="min-w-0 flex-1 basis-60">
              <p className="flex flex-wrap items-center gap-1.5">
                <span className="mr-1 font-semibold break-words">{safeText(key.name, 100)}</span>
                {key.rights.map((right) => (
                  <Badge key={right} tone={right === 'admin' ? 'warn' : 'neutral'}>
                    {safeText(right, 20)}
                  </Badge>
                ))}
              </p>
              <p className="text-xs break-words text-ink-soft">
                {key.rights.includes('admin') ? 'all profiles' : `profile ${safeText(key.profile ?? 'default', 100)}`}
                {' · '}
                created <TimeAgo at={key.createdAt} />
                {key.expiresAt !== undefined &&
                  ` · ${key.expiresAt < new Date().toISOString() ? 'expired' : 'expires'} `}
                {key.expiresAt !== undefined && <TimeAgo at={key.expiresAt} />}
                {' · '}
                {key.lastUsedAt === undefined ? (
                  'never used'
                ) : (
                  <>
                    used <TimeAgo at={key.lastUsedAt} />
                  </>
                )}
                {key.revokedAt !== undefined && ' · '}
                {key.revokedAt !== undefined && (
                  <>
                    revoked <TimeAgo at={key.revokedAt} />
                  </>
                )}
              </p>
            </div>
            {onRevoke && (
              <Button
                size="small"
                look="danger"
                aria-label={`Revoke ${safeText(key.name, 100)}`}
                onClick={() => onRevoke(key)}
              >
                Revoke
              </Button>
            )}
          </li>
        ))}
      </ul>
      {more && <div className="border-t border-line px-4 py-2">{more}</div>}
    </>
  );
}

/** Creates a key and shows it once. */
function KeyDialog({ onClose }: { readonly onClose: () => void }) {
  const [draft, setDraft] = useState(emptyKey);
  const creating = useAction({
    run: () =>
      api.createKey({
        body: {
          ...draft,
          profile: draft.profile || undefined,
          expiresInDays: draft.expiresInDays === '' ? undefined : Number(draft.expiresInDays),
        },
      }),
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
  /** Empty for a key that does not expire. */
  readonly expiresInDays: string;
}

/** The initial values of the form. */
const emptyKey: KeyDraft = { name: '', rights: ['read', 'call'], profile: '', expiresInDays: '90' };

interface KeyFieldsProps {
  readonly draft: KeyDraft;
  readonly error: unknown;
  readonly onChange: (change: Partial<KeyDraft>) => void;
}

const rights: readonly {
  readonly right: Right;
  readonly label: string;
  readonly hint: string;
  readonly needs: Permission;
}[] = [
  { right: 'read', label: 'Read', hint: 'View servers, tools and its own calls.', needs: 'tools.read' },
  { right: 'call', label: 'Call', hint: 'Call tools and chat. MCP clients need it.', needs: 'tools.call' },
  {
    right: 'admin',
    label: 'Administer',
    hint: 'Full access: servers, keys, approvals and the calls of others.',
    needs: 'keys.write',
  },
];

const expiries = [
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
  ['', 'Never'],
] as const;

/** The fields of a new key. */
function KeyFields({ draft, error, onChange }: KeyFieldsProps) {
  const profiles = useQuery(queries.profiles()).data ?? [];
  const rightsProblem = problemAt(error, 'rights');
  const isForAll = draft.rights.includes('admin');
  const session = useQuery(queries.session()).data;
  // A person chooses among the sets that they have something of.
  const offered = rights.filter(({ needs }) => session?.permissions.includes(needs));
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
        {offered.map(({ right, label, hint }) => (
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
        hint={isForAll ? 'Administrators have access to all profiles.' : 'The key has access to one profile.'}
        disabled={isForAll}
        options={[
          ['', isForAll ? 'All profiles' : 'None (uses default)'],
          ...profiles.map(({ name }) => [name, safeText(name, 100)] as const),
        ]}
        value={draft.profile}
        onChange={(profile) => onChange({ profile })}
      />
      <SelectField
        label="Expires"
        error={problemAt(error, 'expiresInDays')}
        options={expiries}
        value={draft.expiresInDays}
        onChange={(expiresInDays) => onChange({ expiresInDays })}
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
