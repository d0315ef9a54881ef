import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import type { Permission } from '../../../contract/rights.ts';
import { queries } from '../api/queries.ts';
import { NeedsPermission } from '../components/NeedsPermission.tsx';
import { Spinner } from '../components/Spinner.tsx';
import type { Tab } from '../components/Tabs.tsx';
import type { Section } from './feature.ts';

/** The tabs of the sections that the caller can use and that are listed, and of the open one. */
export function useSectionTabs(sections: readonly Section[], open: string): readonly Tab[] {
  const session = useQuery(queries.session()).data;
  const may = (needs?: Permission) => needs === undefined || !session || session.permissions.includes(needs);
  return (
    sections
      // biome-ignore lint/correctness/useHookAtTopLevel: see FeaturesContext
      .map(({ useIsListed = useTrue, ...rest }) => ({ ...rest, isListed: useIsListed() }))
      .filter(({ id, isListed, needs }) => (isListed && may(needs)) || id === open)
      .map(({ id, label, needs, Content }) => ({
        ...{ id, label },
        content: (
          <Suspense fallback={<Spinner label="Loading …" />}>
            {needs === undefined ? (
              <Content />
            ) : (
              <NeedsPermission permission={needs}>
                <Content />
              </NeedsPermission>
            )}
          </Suspense>
        ),
      }))
  );
}

const useTrue = () => true;
