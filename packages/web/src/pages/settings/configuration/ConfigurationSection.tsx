import { useQuery } from '@tanstack/react-query';
import type { ToolLimits } from '../../../../../contract/settings/config.ts';
import { formTexts } from '../../../../../contract/settings/form-texts.ts';
import type { Config } from '../../../api/client.ts';
import { queries } from '../../../api/queries.ts';
import { approvalModes } from '../../../components/approval/approval-modes.ts';
import { Card, CardHeader } from '../../../components/Card.tsx';
import { CopyButton } from '../../../components/CopyButton.tsx';
import { Notice } from '../../../components/ErrorNotice.tsx';
import { type Fact, Facts, Patterns } from '../../../components/FactList.tsx';
import { JsonView } from '../../../components/JsonView.tsx';
import { QueryState } from '../../../components/QueryState.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { TimeAgo } from '../../../components/times.tsx';
import { formatLimits } from '../../../text/format-limits.ts';
import { formatBinaryBytes, formatNumber, formatSpan } from '../../../text/formats.ts';
import { plural } from '../../../text/plural.ts';

const dialects: Readonly<Record<Config['dialect'], string>> = {
  native: 'Toolwharf',
  squidbot: 'squidbot (mcp_servers)',
  myai: 'myai.toolbox',
  bridge: 'Bridge',
  client: 'MCP client (mcpServers)',
};

/** The configuration in use, with its file, errors and warnings. */
export function ConfigurationSection() {
  const config = useQuery(queries.config());
  if (!config.data) return <QueryState query={config} what="configuration" />;
  const { file, dialect, refused, warnings, servers, toolbox, gateway } = config.data;
  return (
    <div className="flex flex-col gap-4">
      {refused && <RejectedFile refused={refused} />}
      {warnings.length > 0 && (
        <Notice tone="warn" title={plural(warnings.length, 'warning')}>
          <ul className="list-disc pl-4">
            {warnings.slice(0, 50).map((warning) => (
              <li key={warning}>{safeText(warning, 1_000)}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Card>
        <CardHeader
          title="File"
          hint={
            file === undefined
              ? 'There is no configuration file, so the default settings apply. Servers added in this app are stored in the database.'
              : 'Reloaded whenever it is saved. Servers added in this app are stored in the database instead.'
          }
        />
        <Facts
          facts={[
            [
              'File',
              file === undefined ? (
                'None'
              ) : (
                <span key="file" className="flex items-center gap-1">
                  <code className="text-xs break-all">{safeText(file, 500)}</code>
                  <CopyButton text={file} what="path" />
                </span>
              ),
            ],
            file !== undefined && ['Format', dialects[dialect]],
            [
              file === undefined ? 'Default servers' : 'Servers',
              <Patterns key="servers" patterns={servers} none="None" />,
            ],
          ]}
        />
      </Card>
      <Card>
        <CardHeader title="Tools and calls" />
        <Facts facts={toolboxFacts(toolbox)} />
      </Card>
      <Card>
        <CardHeader title="Gateway" />
        <Facts facts={gatewayFacts(gateway)} />
      </Card>
      <Card>
        <CardHeader title="JSON" hint="Secrets are masked." />
        <div className="p-4">
          <JsonView value={config.data} what="configuration" />
        </div>
      </Card>
    </div>
  );
}

function RejectedFile({ refused: { at, message } }: { readonly refused: NonNullable<Config['refused']> }) {
  return (
    <Notice tone="bad" title="The configuration file has errors">
      <p>
        The gateway rejected the file <TimeAgo at={at} /> and keeps the previous configuration, which is shown here.
        Correct the file and save it.
      </p>
      <pre className="mt-2 max-h-64 overflow-auto rounded border border-line bg-surface p-2 font-mono text-xs whitespace-pre-wrap">
        {safeText(message, 5_000)}
      </pre>
    </Notice>
  );
}

type FactList = readonly (Fact | false | undefined)[];

/** The settings of tools and calls. */
function toolboxFacts(toolbox: Config['toolbox']): FactList {
  const { approval, defaultTool, tools } = toolbox;
  return [
    ['Concurrent calls', formatNumber(toolbox.maxConcurrent)],
    ['Queued calls', formatNumber(toolbox.maxQueued)],
    ['New tools of servers', toolbox.newTools === 'hide' ? 'Hidden until accepted' : 'Offered at once'],
    ['Servers starting at a time', formatNumber(toolbox.maxStarting)],
    ['Tool names', formTexts.profile.naming.choices[toolbox.naming]],
    ['Maximum result size', formatBinaryBytes(toolbox.maxResultBytes)],
    ['Approval mode', approvalModes[approval.mode].label],
    ['Trusted tools', <Patterns key="trusted" patterns={approval.trustedTools} none="None" />],
    ['Always ask', <Patterns key="ask" patterns={approval.ask} none="None" />],
    ['Deny', <Patterns key="deny" patterns={approval.deny} none="None" />],
    ['Approvals expire after', formatSpan(approval.expiresMs)],
    ['Tools with own settings', <Patterns key="tools" patterns={tools.map(describeTool)} none="None" />],
    [
      'Other local tools',
      `${formatLimits(defaultTool)}${toolbox.localToolsMustBeConfigured ? '; each must be configured' : ''}`,
    ],
  ];
}

/** The settings of the gateway: address, access and storage. */
function gatewayFacts(gateway: Config['gateway']): FactList {
  const { jwt, webhook, notifications, retention, tracesOrigin } = gateway;
  return [
    ['Address', `${safeText(gateway.host, 100)}, port ${String(gateway.port)}`],
    [
      'Authentication',
      gateway.requireAuthentication ? 'Required for everyone' : 'Required, except for local connections',
    ],
    ['Allowed hosts', <Patterns key="hosts" patterns={gateway.allowedHosts} none="None" />],
    ['Allowed origins', <Patterns key="origins" patterns={gateway.allowedOrigins} none="Only this app" />],
    ['Identity provider', jwt ? safeText(String(jwt.issuer ?? ''), 300) : 'None. Keys and the admin token are used.'],
    ['New servers', gateway.newServers === 'review' ? 'Wait for an administrator' : 'Start at once'],
    ['Add local (stdio) servers in the app', gateway.allowPrograms ? 'Yes, by signed-in administrators' : 'No'],
    ['Add servers at private addresses in the app', gateway.allowPrivateAddresses ? 'Yes' : 'No'],
    ['Calls kept', `${formatSpan(retention.maxAgeMs)}, at most ${plural(retention.maxCalls, 'call')}`],
    ['Database', gateway.database ? 'PostgreSQL' : 'SQLite in the data directory'],
    ['Approval webhook', webhook ? safeText(webhook.origin, 300) : 'None'],
    [
      'Notifications',
      notifications.length === 0
        ? 'None'
        : notifications.map(({ name, type }) => `${safeText(name, 40)} (${type})`).join(', '),
    ],
    webhook && ['Webhook signed', webhook.secret ? 'Yes' : 'No'],
    ['Trace export', tracesOrigin === undefined ? 'None' : safeText(tracesOrigin, 300)],
    ['Wait for starting servers', formatSpan(gateway.listWaitMs)],
    ['Time to answer a question of a server', formatSpan(gateway.questionTimeoutMs)],
    ['Shutdown grace period', formatSpan(gateway.shutdownMs)],
  ];
}

function describeTool(tool: Readonly<Record<string, unknown>>): string {
  const { name, server, mode } = tool;
  const parts = [formatLimits(tool as Partial<ToolLimits>), mode].filter(Boolean);
  const title = server === undefined ? String(name) : `${server}/${name}`;
  return parts.length === 0 ? title : `${title} (${parts.join(', ')})`;
}
