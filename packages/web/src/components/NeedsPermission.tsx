import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { labelOf, type Permission } from '../../../contract/rights.ts';
import { queries, useMay } from '../api/queries.ts';
import { ButtonLink } from './Button.tsx';
import { EmptyState } from './EmptyState.tsx';
import { safeText } from './safe-text.ts';

interface NeedsPermissionProps {
  readonly permission: Permission;
  readonly children: ReactNode;
}

/** The children, or what is missing to use them, and how to get it. The gateway enforces permissions. */
export function NeedsPermission({ permission, children }: NeedsPermissionProps) {
  const session = useQuery(queries.session()).data;
  if (!session || session.permissions.includes(permission)) return children;
  return <MissingPermission permission={permission} />;
}

/** Explains which permission is missing, which roles have it, and how to get one. */
export function MissingPermission({ permission }: { readonly permission: Permission }) {
  const session = useQuery(queries.session()).data;
  const roles = useQuery({ ...queries.roles(), enabled: useMay('tools.read') }).data?.roles ?? [];
  const having = roles.filter(({ permissions }) => permissions.includes(permission));
  const mayAsk = session?.caller?.user !== undefined && session.permissions.includes('elevations.request');
  const names = having.map(({ title }) => safeText(title, 60));
  return (
    <EmptyState
      title="You may not use this page"
      actions={
        mayAsk ? (
          <ButtonLink href={`/settings/elevation?for=${permission}`} look="primary">
            Ask for a role
          </ButtonLink>
        ) : (
          <ButtonLink href="/settings/session">Sign in with another key</ButtonLink>
        )
      }
    >
      It needs the permission {permission}: {labelOf(permission).toLowerCase()}.
      {names.length > 0 &&
        ` The ${names.length === 1 ? 'role' : 'roles'} ${names.join(', ')} ${names.length === 1 ? 'has' : 'have'} it.`}
      {session?.signIn
        ? ' Your groups at the identity provider decide on your roles: ask an administrator.'
        : ' Ask an administrator for a key with it.'}
    </EmptyState>
  );
}
