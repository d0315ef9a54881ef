import { useQuery } from '@tanstack/react-query';
import { UserRound } from 'lucide-react';
import { useState } from 'react';
import { api, type User } from '../../api/client.ts';
import { queries, query } from '../../api/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button, GatewayButtonLink } from '../../components/Button.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { RemovalDialog } from '../../components/ConfirmDialog.tsx';
import { roleTitle } from '../../components/describe-roles.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TimeAgo } from '../../components/times.tsx';
import { useAction } from '../../components/use-action.ts';
import { useFirstPart } from '../../components/use-first-part.tsx';
import { formatTime } from '../../text/formats.ts';

const usersQuery = query(['users'], async (signal) => (await api.listUsers({ signal })).users);

/** The people who have signed in. */
export default function UsersSection() {
  // No event reports sign-ins: the list is refetched when opened.
  const users = useQuery({ ...usersQuery, staleTime: 0 });
  const [selected, setSelected] = useState<User>();
  return (
    <Card>
      <CardHeader
        title="Users"
        hint="People who have signed in through the identity provider. Their groups there decide on their roles."
      />
      <QueryState query={users} what="users" className="p-4" />
      {users.data?.length === 0 && (
        <EmptyState
          icon={UserRound}
          title="Nobody has signed in yet"
          actions={<GatewayButtonLink href="/docs/guide/accounts.html">Set up sign-in</GatewayButtonLink>}
        >
          To let people sign in, set up an identity provider under gateway.oidc in the configuration.
        </EmptyState>
      )}
      {users.data && users.data.length > 0 && <UserList users={users.data} onRemove={setSelected} />}
      <RemovalDialog
        item={selected}
        title={(user) => `Remove ${nameOf(user)}?`}
        remove={({ id }) => api.removeUser({ path: { user: id } })}
        done="User removed."
        queryKey="users"
        onClose={() => setSelected(undefined)}
      >
        {() =>
          'Their sessions, keys, accounts at servers, conversations and saved requests are deleted; recorded calls stay. A removed person can sign in again: disable them to keep them out.'
        }
      </RemovalDialog>
    </Card>
  );
}

const pageSize = 50;

interface UserListProps {
  readonly users: readonly User[];
  readonly onRemove: (user: User) => void;
}

function UserList({ users, onRemove }: UserListProps) {
  const [shown, more] = useFirstPart(users, pageSize);
  const own = useQuery(queries.session()).data?.caller?.user;
  return (
    <>
      <ul aria-label="Users" className="divide-y divide-line">
        {shown.map((user) => (
          <li key={user.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
            <UserFacts user={user} isOwn={user.id === own} />
            {user.id !== own && <UserActions user={user} onRemove={() => onRemove(user)} />}
          </li>
        ))}
      </ul>
      {more && <div className="border-t border-line px-4 py-2">{more}</div>}
    </>
  );
}

function UserFacts({ user, isOwn }: { readonly user: User; readonly isOwn: boolean }) {
  const { roles, elevation, email, name, profile, groups, lastSeenAt, disabledAt } = user;
  return (
    <div className="min-w-0 flex-1 basis-60">
      <p className="flex flex-wrap items-center gap-1.5">
        <span className="mr-1 font-semibold break-words" translate="no">
          {nameOf(user)}
        </span>
        {roles.map((role) => (
          <Badge key={role}>{roleTitle(role)}</Badge>
        ))}
        {roles.length === 0 && <Badge>no access</Badge>}
        {elevation && Date.parse(elevation.until) > Date.now() && (
          <Badge tone="warn">
            {roleTitle(elevation.role)} until {formatTime(elevation.until)}
          </Badge>
        )}
        {isOwn && <Badge>you</Badge>}
        {disabledAt !== undefined && <Badge tone="bad">disabled</Badge>}
      </p>
      <p className="text-xs break-words text-ink-soft">
        {name !== undefined && email !== undefined && (
          <>
            <span translate="no">{safeText(email, 200)}</span>
            {' · '}
          </>
        )}
        {`profile ${safeText(profile ?? 'default', 100)}`}
        {groups.length > 0 && ' · '}
        {groups.length > 0 && `groups: ${safeText(groups.slice(0, 10).join(', '), 200)}`}
        {' · '}
        {lastSeenAt === undefined ? (
          'never active'
        ) : (
          <>
            active <TimeAgo at={lastSeenAt} />
          </>
        )}
        {disabledAt !== undefined && ' · '}
        {disabledAt !== undefined && (
          <>
            disabled <TimeAgo at={disabledAt} />
          </>
        )}
      </p>
    </div>
  );
}

function UserActions({ user, onRemove }: { readonly user: User; readonly onRemove: () => void }) {
  const isDisabled = user.disabledAt !== undefined;
  const path = { user: user.id };
  const changing = useAction({
    run: () => (isDisabled ? api.enableUser({ path }) : api.disableUser({ path })),
    done: isDisabled ? 'User enabled. They have to sign in again.' : 'User disabled. Their sessions have ended.',
    refetch: ['users'],
  });
  const name = nameOf(user);
  return (
    <div className="flex gap-2">
      <Button
        size="small"
        busy={changing.isPending}
        aria-label={isDisabled ? `Enable ${name}` : `Disable ${name}`}
        onClick={() => changing.mutate()}
      >
        {isDisabled ? 'Enable' : 'Disable'}
      </Button>
      <Button size="small" look="danger" aria-label={`Remove ${name}`} onClick={onRemove}>
        Remove
      </Button>
    </div>
  );
}

function nameOf({ name, email, subject }: User): string {
  return safeText(name ?? email ?? subject, 100);
}
