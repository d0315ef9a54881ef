import { useQuery } from '@tanstack/react-query';
import { Wrench } from 'lucide-react';
import { useLocation, useSearchParams } from 'wouter';
import { queries, useIsAdmin } from '../../api/queries.ts';
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
import { text } from '../../text/text.ts';
import { PromptsTab } from './PromptsTab.tsx';
import { ResourcesTab } from './ResourcesTab.tsx';
import { SkillsTab } from './SkillsTab.tsx';
import { ToolBrowser } from './ToolBrowser.tsx';
import { ToolDetails } from './ToolDetails.tsx';

const words = text.tools.page;

/** The tools, resources, prompts and skills of all servers. */
export default function ToolsPage() {
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  // The parameters of the router leave some characters of a name encoded.
  const tool = readTool(location.pathname);
  return (
    <Page title={text.tools.title} description={words.about}>
      <Tabs
        label={words.kind}
        value={tool === undefined ? (search.get('show') ?? 'tools') : 'tools'}
        onChange={(show) => navigate(show === 'tools' ? '/tools' : `/tools?show=${show}`)}
        tabs={[
          { id: 'tools', label: text.tools.title, content: <ToolsTab selected={tool} /> },
          { id: 'resources', label: words.resources, content: <ResourcesTab /> },
          { id: 'prompts', label: words.prompts, content: <PromptsTab /> },
          { id: 'skills', label: words.skills, content: <SkillsTab /> },
        ]}
      />
    </Page>
  );
}

/** All tools beside the open one. A narrow screen shows one or the other. */
function ToolsTab({ selected }: { readonly selected: string | undefined }) {
  const offered = useQuery(queries.tools());
  const disabled = useQuery({ ...queries.disabledTools(), enabled: useIsAdmin() });
  const tools = { ...offered, data: offered.data && [...offered.data, ...(disabled.data ?? [])] };
  const [, navigate] = useLocation();
  if (!tools.data) {
    if (tools.isError) return <ErrorNotice error={tools.error} onRetry={() => void offered.refetch()} />;
    return <Spinner label={words.loading} />;
  }
  if (tools.data.length === 0) {
    return (
      <EmptyState
        icon={<Wrench aria-hidden />}
        title={words.noTools}
        actions={
          <>
            <ButtonLink href="/servers?add" look="primary">
              {words.addServer}
            </ButtonLink>
            <ButtonLink href="/servers">{words.checkServers}</ButtonLink>
          </>
        }
      >
        {words.serversProvide}
      </EmptyState>
    );
  }
  const tool = selected === undefined ? undefined : tools.data.find(({ name }) => name === selected);
  return (
    <>
      {tools.isError && <ErrorNotice title={words.outOfDate} error={tools.error} />}
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
            title={words.noToolNamed(safeText(selected, 100))}
            actions={<TextLink href="/tools">{words.allTools}</TextLink>}
          >
            {words.gone}
          </EmptyState>
        )}
        {selected === undefined && (
          <div className="hidden rounded-lg border border-dashed border-line lg:block">
            <EmptyState icon={<Wrench aria-hidden />} title={words.unselected}>
              {words.keys(<kbd className="rounded border border-line px-1">/</kbd>)}
            </EmptyState>
          </div>
        )}
      </div>
    </>
  );
}
