import { useLocation, useSearchParams } from 'wouter';
import { Page } from '../../components/Page.tsx';
import { Tabs } from '../../components/Tabs.tsx';
import { PromptsTab } from './PromptsTab.tsx';
import { ResourcesTab } from './ResourcesTab.tsx';
import { ToolsTab } from './ToolsTab.tsx';
import { readTool } from './tool-address.ts';

/** The tools, resources and prompts of all servers. */
export default function ToolsPage() {
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  // The parameters of the router leave some characters of a name encoded.
  const tool = readTool(location.pathname);
  return (
    <Page title="Tools" description="Search, read and run the tools, resources and prompts of all servers.">
      <Tabs
        label="Kind"
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
