import { useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Tool } from '../../api/client.ts';
import { queries, useMay } from '../../api/queries.ts';
import { ArgumentsView } from '../../components/ArgumentsView.tsx';
import { ServerClaims } from '../../components/approval/ServerClaims.tsx';
import { Badge } from '../../components/Badge.tsx';
import { Card } from '../../components/Card.tsx';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { DefinitionDifference } from '../../components/DefinitionDifference.tsx';
import { DefinitionWarnings } from '../../components/DefinitionWarnings.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { Description } from '../../components/ExpandableText.tsx';
import { safeText } from '../../components/safe-text.ts';
import { Tabs } from '../../components/Tabs.tsx';
import { TextLink } from '../../components/TextLink.tsx';
import { formatLimits } from '../../text/format-limits.ts';
import { RunHistory } from './RunHistory.tsx';
import { OriginalTexts, ToolAdministration } from './ToolAdministration.tsx';
import { ToolRunner } from './ToolRunner.tsx';
import { ToolSchemas } from './ToolSchemas.tsx';
import { useArguments } from './use-arguments.ts';

/** A tool with its description, the form to run it, its schemas and its recent calls. */
export function ToolDetails({ tool }: { readonly tool: Tool }) {
  const [chosen, setTab] = useState('run');
  const tab = tool.disabled && chosen === 'run' ? 'schema' : chosen;
  const mayEdit = useMay('tools.write');
  const draft = useArguments(tool);
  const { data: { chain } = {} } = useQuery({
    ...queries.tool(tool.name),
    enabled: mayEdit && tool.server === undefined,
  });
  return (
    <Card className="min-w-0" aria-label={`Tool ${safeText(tool.originalName, 100)}`}>
      <header className="flex flex-col gap-2 border-b border-line px-4 py-3">
        <Link href="/tools" className="inline-flex items-center gap-1 text-accent-strong lg:hidden">
          <ArrowLeft aria-hidden className="size-4" />
          All tools
        </Link>
        <div className="flex flex-wrap items-center gap-2">
          <h2 className="min-w-0 text-base break-words">
            {safeText(tool.title ?? tool.override?.name ?? tool.originalName, 200)}
          </h2>
          {tool.server === undefined ? (
            <Badge>Local tool</Badge>
          ) : (
            <Link href={`/servers/${encodeURIComponent(tool.server)}`} className="underline-offset-2 hover:underline">
              <Badge tone="accent">{safeText(tool.server, 100)}</Badge>
            </Link>
          )}
          {tool.app?.only && <Badge>for apps only</Badge>}
        </div>
        <p className="flex flex-wrap items-center gap-x-2 text-xs text-ink-soft">
          <code className="break-all">{safeText(tool.name, 200)}</code>
          <CopyButton text={tool.name} what="name" />
          <span>{formatLimits(tool.limits)}</span>
        </p>
        <Description text={tool.description} />
        <OriginalTexts tool={tool} />
        {mayEdit && <ToolAdministration tool={tool} />}
        <ServerClaims annotations={tool.annotations} />
      </header>
      <div className="flex flex-col gap-4 p-4">
        {tool.disabled && <Notice tone="warn">This tool is switched off: it cannot be listed or called.</Notice>}
        {tool.warnings !== undefined && <DefinitionWarnings warnings={tool.warnings} />}
        {tool.isNew ? <NewNotice tool={tool} /> : tool.changed !== undefined && <ChangeNotice tool={tool} />}
        <Tabs
          label="Tool"
          value={tab}
          onChange={setTab}
          tabs={[
            ...(tool.disabled ? [] : [{ id: 'run', label: 'Run', content: <ToolRunner tool={tool} draft={draft} /> }]),
            ...(chain
              ? [
                  {
                    id: 'chain',
                    label: chain.code === undefined ? 'Steps' : 'Script',
                    content: <ChainView chain={chain} />,
                  },
                ]
              : []),
            { id: 'schema', label: 'Schema', content: <ToolSchemas tool={tool} args={draft.value} /> },
            {
              id: 'history',
              label: 'History',
              content: (
                <RunHistory
                  tool={tool}
                  onReuse={(args) => {
                    draft.change(args);
                    setTab('run');
                  }}
                />
              ),
            },
          ]}
        />
      </div>
    </Card>
  );
}

function NewNotice({ tool: { server } }: { readonly tool: Tool }) {
  return (
    <Notice tone="warn" title="The tool is new and waits for review">
      <p>
        Profiles that hide new tools do not have it until someone accepts it.{' '}
        {server !== undefined && <TextLink href={`/servers/${encodeURIComponent(server)}`}>Review the tool</TextLink>}
      </p>
    </Notice>
  );
}

function ChangeNotice({ tool }: { readonly tool: Tool }) {
  return (
    <Notice tone="warn" title="The definition changed since it was accepted">
      <p>
        {tool.changed === 'quarantine'
          ? 'The tool is blocked until someone accepts the change.'
          : 'Every call needs approval until someone accepts the change.'}{' '}
        {tool.server !== undefined && (
          <TextLink href={`/servers/${encodeURIComponent(tool.server)}`}>Review the change</TextLink>
        )}
      </p>
      <div className="mt-2">
        <DefinitionDifference changes={tool.changes ?? []} />
      </div>
    </Notice>
  );
}

/** The script of a chain, or the calls that it makes, in order. */
function ChainView({ chain }: { readonly chain: NonNullable<Tool['chain']> }) {
  if (chain.code !== undefined) return <CodeBlock code={chain.code} language="ts" what="script" />;
  return (
    <ol className="flex min-w-0 list-decimal flex-col gap-4 pl-5">
      {chain.steps?.map(({ tool, arguments: args }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps do not move
        <li key={at}>
          <TextLink href={`/tools/${encodeURIComponent(tool)}`} className="font-mono text-xs break-all">
            {safeText(tool, 200)}
          </TextLink>
          <div className="mt-1">
            <ArgumentsView value={args} />
          </div>
        </li>
      ))}
    </ol>
  );
}
