import { useSearchParams } from 'wouter';
import { Tabs } from '../../../components/Tabs.tsx';
import type { InspectorProps } from '../../../shell/feature.ts';

/** The tabs of a server's inspector. The address names the open one. */
export function InspectorTabs({ server, tabs }: InspectorProps) {
  const [search, setSearch] = useSearchParams();
  const tab = search.get('tab');
  return (
    <Tabs
      label={`Inspector: ${server.name}`}
      tabs={tabs}
      value={tabs.find(({ id }) => id === tab)?.id ?? tabs[0]?.id ?? ''}
      onChange={(id) => setSearch({ tab: id }, { replace: true })}
    />
  );
}
