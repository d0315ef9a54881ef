import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queries } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';

export interface AdminsOnlyProps {
  /** What others are told: "The configuration is shown". */
  readonly what: string;
  readonly children: ReactNode;
}

/** Spares those who may not see something a page full of refusals. The gateway decides; this only says it. */
export function AdminsOnly({ what, children }: AdminsOnlyProps) {
  const session = useQuery(queries.session()).data;
  if (!session || session.rights.includes('admin')) return children;
  return (
    <EmptyState
      title="For administrators"
      actions={<ButtonLink href="/settings/session">Sign in as somebody else</ButtonLink>}
    >
      {what} for administrators only, and you are none.
    </EmptyState>
  );
}
