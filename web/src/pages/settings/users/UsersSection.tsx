import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { UserRound } from 'lucide-react';
import { useState } from 'react';
import { api, type User } from '../../../api/client.ts';
import { queries } from '../../../api/queries.ts';
import { Badge } from '../../../components/Badge.tsx';
import { Button, GatewayButtonLink } from '../../../components/Button.tsx';
import { Card, CardHeader } from '../../../components/Card.tsx';
import { RemovalDialog } from '../../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { QueryState } from '../../../components/QueryState.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { useToast } from '../../../components/Toasts.tsx';
import { TimeAgo } from '../../../components/times.tsx';
import { text } from '../../../text/text.ts';

const words = text.settings.usersSection;

/** The people who have signed in. */
export function UsersSection() {
  // No event reports sign-ins: the list is refetched when opened.
  const users = useQuery({ ...queries.users(), staleTime: 0 });
  const [selected, setSelected] = useState<User>();
  return (
    <Card>
      <CardHeader title={words.title} hint={words.hint} />
      <QueryState query={users} what={words.users} className="p-4" />
      {users.data?.length === 0 && (
        <EmptyState
          icon={<UserRound aria-hidden />}
          title={words.none}
          actions={<GatewayButtonLink href="/docs/guide/accounts.html">{words.howTo}</GatewayButtonLink>}
        >
          {words.noneHint}
        </EmptyState>
      )}
      {users.data && users.data.length > 0 && <UserList users={users.data} onRemove={setSelected} />}
      <RemovalDialog
        item={selected}
        title={(user) => words.remove(nameOf(user))}
        remove={({ id }) => api.removeUser({ path: { user: id } })}
        done={words.removed}
        queryKey="users"
        onClose={() => setSelected(undefined)}
      >
        {() => words.removeHint}
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
  const [shown, setShown] = useState(pageSize);
  const own = useQuery(queries.session()).data?.caller?.user;
  return (
    <>
      <ul aria-label={words.title} className="divide-y divide-line">
        {users.slice(0, shown).map((user) => (
          <li key={user.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
            <UserFacts user={user} isOwn={user.id === own} />
            {user.id !== own && <UserActions user={user} onRemove={() => onRemove(user)} />}
          </li>
        ))}
      </ul>
      {users.length > shown && (
        <div className="border-t border-line px-4 py-2">
          <Button size="small" onClick={() => setShown(shown + pageSize)}>
            {text.settings.keysSection.showMore(users.length - shown)}
          </Button>
        </div>
      )}
    </>
  );
}

function UserFacts({ user, isOwn }: { readonly user: User; readonly isOwn: boolean }) {
  const { role, email, name, profile, groups, lastSeenAt, disabledAt } = user;
  return (
    <div className="min-w-0 flex-1 basis-60">
      <p className="flex flex-wrap items-center gap-1.5">
        <span className="mr-1 font-semibold break-words" translate="no">
          {nameOf(user)}
        </span>
        <Badge tone={role === 'admin' ? 'warn' : 'neutral'}>{words.role[role]}</Badge>
        {isOwn && <Badge>{words.you}</Badge>}
        {disabledAt !== undefined && <Badge tone="bad">{words.disabled}</Badge>}
      </p>
      <p className="text-xs break-words text-ink-soft">
        {name !== undefined && email !== undefined && (
          <>
            <span translate="no">{safeText(email, 200)}</span>
            {' · '}
          </>
        )}
        {role === 'admin'
          ? text.settings.keysSection.allProfiles
          : text.settings.keysSection.profile(safeText(profile ?? 'default', 100))}
        {groups.length > 0 && ' · '}
        {groups.length > 0 && words.groups(safeText(groups.slice(0, 10).join(', '), 200))}
        {' · '}
        {lastSeenAt === undefined ? words.neverSeen : words.seen(<TimeAgo at={lastSeenAt} />)}
        {disabledAt !== undefined && ' · '}
        {disabledAt !== undefined && words.disabledAt(<TimeAgo at={disabledAt} />)}
      </p>
    </div>
  );
}

function UserActions({ user, onRemove }: { readonly user: User; readonly onRemove: () => void }) {
  const toast = useToast();
  const client = useQueryClient();
  const isDisabled = user.disabledAt !== undefined;
  const path = { user: user.id };
  const changing = useMutation({
    mutationFn: () => (isDisabled ? api.enableUser({ path }) : api.disableUser({ path })),
    onSuccess: () => toast(isDisabled ? words.enabledDone : words.disabledDone),
    onError: toast.error,
    onSettled: () => client.invalidateQueries({ queryKey: ['users'] }),
  });
  const name = nameOf(user);
  return (
    <div className="flex gap-2">
      <Button
        size="small"
        busy={changing.isPending}
        aria-label={isDisabled ? words.enableLabel(name) : words.disableLabel(name)}
        onClick={() => changing.mutate()}
      >
        {isDisabled ? words.enable : words.disable}
      </Button>
      <Button size="small" look="danger" aria-label={words.removeLabel(name)} onClick={onRemove}>
        {text.common.remove}
      </Button>
    </div>
  );
}

function nameOf({ name, email, subject }: User): string {
  return safeText(name ?? email ?? subject, 100);
}
