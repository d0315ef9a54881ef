import { useQuery } from '@tanstack/react-query';
import { Wrench } from 'lucide-react';
import { useLocation, useSearchParams } from 'wouter';
import { queries, useMay } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { classNames } from '../../components/class-names.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Page } from '../../components/Page.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { Tabs } from '../../components/Tabs.tsx';
import { TextLink } from '../../components/TextLink.tsx';
import { readTool, toolAddress } from '../../components/tool-address.ts';
import { useFeatures } from '../../shell/feature.ts';
import { useSectionTabs } from '../../shell/section-tabs.tsx';
import { PromptsTab } from './PromptsTab.tsx';
import { ResourcesTab } from './ResourcesTab.tsx';
import { ToolBrowser } from './ToolBrowser.tsx';
import { ToolDetails } from './ToolDetails.tsx';

/** The tools, resources, prompts and skills of all servers. */
export default function ToolsPage() {
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  const show = search.get('show') ?? 'tools';
  const added = useSectionTabs(
    useFeatures().flatMap(({ toolTabs }) => toolTabs ?? []),
    show,
  );
  // The parameters of the router leave some characters of a name encoded.
  const tool = readTool(location.pathname);
  return (
    <Page title="Tools" description="Search, read and run the tools, resources, prompts and skills of all servers.">
      <Tabs
        label="Kind"
        value={tool === undefined ? show : 'tools'}
        onChange={(id) => navigate(id === 'tools' ? '/tools' : `/tools?show=${id}`)}
        tabs={[
          { id: 'tools', label: 'Tools', content: <ToolsTab selected={tool} /> },
          { id: 'resources', label: 'Resources', content: <ResourcesTab /> },
          { id: 'prompts', label: 'Prompts', content: <PromptsTab /> },
          ...added,
        ]}
      />
    </Page>
  );
}

/** All tools beside the open one. A narrow screen shows one or the other. */
function ToolsTab({ selected }: { readonly selected: string | undefined }) {
  const offered = useQuery(queries.tools());
  const disabled = useQuery({ ...queries.disabledTools(), enabled: useMay('tools.write') });
  const tools = { ...offered, data: offered.data && [...offered.data, ...(disabled.data ?? [])] };
  const [, navigate] = useLocation();
  if (!tools.data) {
    if (tools.isError) return <ErrorNotice error={tools.error} onRetry={() => void offered.refetch()} />;
    return <Spinner label="Loading tools …" />;
  }
  if (tools.data.length === 0) {
    return (
      <EmptyState
        icon={Wrench}
        title="No tools"
        actions={
          <>
            <ButtonLink href="/servers?add" look="primary">
              Add a server
            </ButtonLink>
            <ButtonLink href="/servers">Check the servers</ButtonLink>
          </>
        }
      >
        Servers provide the tools.
      </EmptyState>
    );
  }
  const tool = selected === undefined ? undefined : tools.data.find(({ name }) => name === selected);
  return (
    <>
      {tools.isError && <ErrorNotice title="The list of tools may be out of date" error={tools.error} />}
      <div className="grid min-w-0 gap-4 lg:grid-cols-[21rem_minmax(0,1fr)]">
        <ToolBrowser
          tools={tools.data}
          selected={selected}
          onOpen={({ name }) => navigate(toolAddress(name))}
          className={classNames(
            'h-[calc(100dvh-13rem)] min-h-96 lg:sticky lg:top-4 lg:h-[calc(100dvh-10rem)]',
            selected !== undefined && 'hidden! lg:flex!',
          )}
        />
        {tool && <ToolDetails key={tool.name} tool={tool} />}
        {!tool && selected !== undefined && (
          <EmptyState
            title={`No tool named ${safeText(selected, 100)}`}
            actions={<TextLink href="/tools">All tools</TextLink>}
          >
            The server removed it, is not connected, or you do not have access.
          </EmptyState>
        )}
        {selected === undefined && (
          <div className="hidden rounded-lg border border-dashed border-line lg:block">
            <EmptyState icon={Wrench} title="No tool selected">
              Press <kbd className="rounded border border-line px-1">/</kbd> to search, use the arrow keys to move and
              Enter to open a tool.
            </EmptyState>
          </div>
        )}
      </div>
    </>
  );
}
