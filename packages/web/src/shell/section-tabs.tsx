import { useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense } from 'react';
import { queries } from '../api/queries.ts';
import { ButtonLink } from '../components/Button.tsx';
import { EmptyState } from '../components/EmptyState.tsx';
import { Spinner } from '../components/Spinner.tsx';
import type { Tab } from '../components/Tabs.tsx';
import type { Section } from './feature.ts';

/** The tabs of the sections that the caller can use and that are listed, and of the open one. */
export function useSectionTabs(sections: readonly Section[], open: string): readonly Tab[] {
  const session = useQuery(queries.session()).data;
  const isAdmin = session === undefined || session.rights.includes('admin');
  return (
    sections
      // biome-ignore lint/correctness/useHookAtTopLevel: see FeaturesContext
      .map(({ useIsListed = useTrue, ...rest }) => ({ ...rest, isListed: useIsListed() }))
      .filter(({ id, isListed, isForAdmins }) => (isListed && (isAdmin || !isForAdmins)) || id === open)
      .map(({ id, label, isForAdmins, Content }) => ({
        ...{ id, label },
        content: (
          <Suspense fallback={<Spinner label="Loading …" />}>
            {isForAdmins ? (
              <AdminsOnly>
                <Content />
              </AdminsOnly>
            ) : (
              <Content />
            )}
          </Suspense>
        ),
      }))
  );
}

const useTrue = () => true;

/** Explains a missing right instead of showing failed requests. The gateway enforces the right. */
function AdminsOnly({ children }: { readonly children: ReactNode }) {
  const session = useQuery(queries.session()).data;
  if (!session || session.rights.includes('admin')) return children;
  return (
    <EmptyState
      title="Administrators only"
      actions={<ButtonLink href="/settings/session">Sign in with another key</ButtonLink>}
    >
      This section needs the right “admin”, which you do not have here.
    </EmptyState>
  );
}
