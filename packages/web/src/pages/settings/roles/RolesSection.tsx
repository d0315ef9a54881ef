import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { labelOf, type Permission } from '../../../../../contract/rights.ts';
import { api, type Role } from '../../../api/client.ts';
import { queries, useMay } from '../../../api/queries.ts';
import { Badge } from '../../../components/Badge.tsx';
import { Button } from '../../../components/Button.tsx';
import { Card, CardHeader } from '../../../components/Card.tsx';
import { RemovalDialog } from '../../../components/ConfirmDialog.tsx';
import { messageOf, Notice } from '../../../components/ErrorNotice.tsx';
import { FormDialog } from '../../../components/FormDialog.tsx';
import { hasFieldProblems, problemAt } from '../../../components/field-problems.ts';
import { Checkbox, TextField } from '../../../components/fields.tsx';
import { QueryState } from '../../../components/QueryState.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { useAction } from '../../../components/use-action.ts';
import { plural } from '../../../text/plural.ts';

/** The roles with their permissions. */
export function RolesSection() {
  const roles = useQuery(queries.roles());
  const mayEdit = useMay('roles.write');
  const [editing, setEditing] = useState<Role | 'new'>();
  const [removing, setRemoving] = useState<Role>();
  return (
    <Card>
      <CardHeader
        title="Roles"
        hint="A role is a set of permissions. Groups of the identity provider decide who has it."
        actions={
          mayEdit && (
            <Button size="small" look="primary" onClick={() => setEditing('new')} icon={Plus}>
              New role
            </Button>
          )
        }
      />
      <QueryState query={roles} what="roles" className="p-4" />
      <ul aria-label="Roles" className="divide-y divide-line">
        {roles.data?.roles.map((role) => (
          <li key={role.name} className="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3">
            <RoleFacts role={role} />
            {mayEdit && !role.builtIn && (
              <div className="flex gap-2">
                <Button size="small" aria-label={`Edit ${role.name}`} onClick={() => setEditing(role)}>
                  Edit
                </Button>
                <Button size="small" look="danger" aria-label={`Remove ${role.name}`} onClick={() => setRemoving(role)}>
                  Remove
                </Button>
              </div>
            )}
          </li>
        ))}
      </ul>
      {editing !== undefined && roles.data && (
        <RoleDialog role={editing === 'new' ? undefined : editing} onClose={() => setEditing(undefined)} />
      )}
      <RemovalDialog
        item={removing}
        title={({ title }) => `Remove ${safeText(title, 60)}?`}
        remove={({ name }) => api.removeRole({ path: { role: name } })}
        done="Role removed."
        queryKey="roles"
        onClose={() => setRemoving(undefined)}
      >
        {() => 'Everyone who has the role loses its permissions at once.'}
      </RemovalDialog>
    </Card>
  );
}

function RoleFacts({ role: { name, title, description, builtIn, groups, permissions } }: { readonly role: Role }) {
  return (
    <div className="min-w-0 flex-1 basis-60">
      <p className="flex flex-wrap items-center gap-1.5">
        <span className="font-semibold break-words">{safeText(title, 60)}</span>
        <code className="text-xs">{name}</code>
        {builtIn && <Badge>built in</Badge>}
      </p>
      {description !== undefined && <p className="break-words">{safeText(description, 500)}</p>}
      <details className="text-xs text-ink-soft">
        <summary className="cursor-pointer">
          {plural(permissions.length, 'permission')}
          {groups.length > 0 && ` · groups: ${safeText(groups.join(', '), 200)}`}
        </summary>
        <ul className="mt-1 list-disc pl-4">
          {permissions.map((permission) => (
            <li key={permission}>{labelOf(permission)}</li>
          ))}
        </ul>
      </details>
    </div>
  );
}

/** Creates or changes a role. Only permissions that the caller has are offered, and those that the role has already. */
function RoleDialog({ role, onClose }: { readonly role?: Role; readonly onClose: () => void }) {
  const own = useQuery(queries.session()).data?.permissions ?? [];
  const all = useQuery(queries.roles()).data?.permissions ?? [];
  const [draft, setDraft] = useState({
    name: role?.name ?? '',
    title: role?.title ?? '',
    description: role?.description ?? '',
    permissions: role?.permissions ?? ([] as readonly Permission[]),
  });
  const { name, ...settings } = draft;
  const body = { ...settings, permissions: [...draft.permissions] };
  const saving = useAction({
    run: () =>
      role
        ? api.updateRole({ path: { role: role.name }, body: { ...body, revision: role.revision } })
        : api.createRole({ body: { ...body, name } }),
    done: 'Role saved.',
    refetch: ['roles'],
    showsError: true,
    onSuccess: onClose,
  });
  const { error } = saving;
  const offered = all.filter((one) => own.includes(one.name) || role?.permissions.includes(one.name));
  return (
    <FormDialog
      onClose={onClose}
      title={role ? `Edit ${safeText(role.title, 60)}` : 'New role'}
      description="Name its groups under gateway.oidc.roles in the configuration."
      action="Save role"
      busy={saving.isPending}
      onSubmit={saving.mutate}
    >
      {!role && (
        <TextField
          label="Name"
          required
          hint="Lower-case letters, digits and hyphens."
          error={problemAt(error, 'name')}
          value={name}
          onChange={(text) => setDraft({ ...draft, name: text })}
        />
      )}
      <TextField label="Title" value={draft.title} onChange={(title) => setDraft({ ...draft, title })} />
      <TextField
        label="Description"
        value={draft.description}
        onChange={(description) => setDraft({ ...draft, description })}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 font-medium">Permissions</legend>
        {offered.map(({ name: permission, label }) => (
          <Checkbox
            key={permission}
            label={label}
            hint={permission}
            checked={draft.permissions.includes(permission)}
            onChange={(isChosen) =>
              setDraft({
                ...draft,
                permissions: isChosen
                  ? [...draft.permissions, permission]
                  : draft.permissions.filter((one) => one !== permission),
              })
            }
          />
        ))}
        {problemAt(error, 'permissions') !== undefined && (
          <p className="text-xs text-bad">{problemAt(error, 'permissions')}</p>
        )}
      </fieldset>
      {error !== null && error !== undefined && !hasFieldProblems(error) && (
        <Notice tone="bad">{messageOf(error)}</Notice>
      )}
    </FormDialog>
  );
}
