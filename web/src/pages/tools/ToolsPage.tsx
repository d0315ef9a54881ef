import { useLocation, useSearchParams } from 'wouter';
import { Page } from '../../components/Page.tsx';
import { Tabs } from '../../components/Tabs.tsx';
import { PromptsTab } from './PromptsTab.tsx';
import { ResourcesTab } from './ResourcesTab.tsx';
import { ToolsTab } from './ToolsTab.tsx';
import { toolIn } from './tool-address.ts';

/** Everything the servers offer: tools to search, read and run, and beside them resources and prompts. */
export default function ToolsPage() {
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  // Names may have any character in them, and the router's parameters leave some of them encoded.
  const tool = toolIn(location.pathname);
  return (
    <Page title="Tools" description="What the servers offer: look at it, try it out.">
      <Tabs
        label="What servers offer"
        value={tool === undefined ? (search.get('show') ?? 'tools') : 'tools'}
        onChange={(show) => navigate(show === 'tools' ? '/tools' : `/tools?show=${show}`)}
        tabs={[
          { id: 'tools', label: 'Tools', content: <ToolsTab selected={tool} /> },
          { id: 'resources', label: 'Resources', content: <ResourcesTab /> },
          { id: 'prompts', label: 'Prompts', content: <PromptsTab /> },
        ]}
      />
    </Page>
  );
}
