import { useQuery } from '@tanstack/react-query';
import type { Config } from '../../../api/client.ts';
import { queries } from '../../../api/queries.ts';
import { Card, CardHeader } from '../../../components/Card.tsx';
import { CopyButton } from '../../../components/CopyButton.tsx';
import { Notice } from '../../../components/ErrorNotice.tsx';
import { JsonView } from '../../../components/JsonView.tsx';
import { QueryState } from '../../../components/QueryState.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { TimeAgo } from '../../../components/times.tsx';
import { formatBinaryBytes, formatNumber, formatSpan } from '../../../text/formats.ts';
import { text } from '../../../text/text.ts';
import { approvalModes } from '../../assistants/approval-modes.ts';
import { type Fact, Facts, namings, Patterns } from '../Facts.tsx';

const dialects: Readonly<Record<Config['dialect'], string>> = {
  native: 'Toolwharf',
  squidbot: 'squidbot (mcp_servers)',
  myai: 'myai.toolbox',
  bridge: text.settings.configurationSection.bridge,
  client: text.settings.configurationSection.clientDialect,
};

/** The configuration in use, with its file, errors and warnings. */
export function ConfigurationSection() {
  const config = useQuery(queries.config());
  if (!config.data) return <QueryState query={config} what={text.settings.configurationSection.configuration} />;
  const { file, dialect, refused, warnings, servers, toolbox, gateway } = config.data;
  return (
    <div className="flex flex-col gap-4">
      {refused && <RejectedFile refused={refused} />}
      {warnings.length > 0 && (
        <Notice tone="warn" title={text.settings.configurationSection.warnings(warnings.length)}>
          <ul className="list-disc pl-4">
            {warnings.slice(0, 50).map((warning) => (
              <li key={warning}>{safeText(warning, 1_000)}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Card>
        <CardHeader
          title={text.settings.configurationSection.file}
          hint={
            file === undefined
              ? text.settings.configurationSection.noFile
              : text.settings.configurationSection.reloadedWheneverSavedServers
          }
        />
        <Facts
          facts={[
            [
              text.settings.configurationSection.file,
              file === undefined ? (
                text.common.none
              ) : (
                <span key="file" className="flex items-center gap-1">
                  <code className="text-xs break-all">{safeText(file, 500)}</code>
                  <CopyButton text={file} what={text.settings.configurationSection.path} />
                </span>
              ),
            ],
            file !== undefined && [text.settings.configurationSection.format, dialects[dialect]],
            [
              file === undefined
                ? text.settings.configurationSection.defaultServers
                : text.settings.configurationSection.servers,
              <Patterns key="servers" patterns={servers} none={text.common.none} />,
            ],
          ]}
        />
      </Card>
      <Card>
        <CardHeader title={text.settings.configurationSection.toolsCalls} />
        <Facts facts={toolboxFacts(toolbox)} />
      </Card>
      <Card>
        <CardHeader title={text.settings.configurationSection.gateway} />
        <Facts facts={gatewayFacts(gateway)} />
      </Card>
      <Card>
        <CardHeader title="JSON" hint={text.settings.configurationSection.secretsMasked} />
        <div className="p-4">
          <JsonView value={config.data} what={text.settings.configurationSection.configuration} />
        </div>
      </Card>
    </div>
  );
}

function RejectedFile({ refused: { at, message } }: { readonly refused: NonNullable<Config['refused']> }) {
  return (
    <Notice tone="bad" title={text.settings.configurationSection.configurationFileErrors}>
      <p>{text.settings.configurationSection.gatewayRejectedFileKeeps(<TimeAgo at={at} />)}</p>
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
    [text.settings.configurationSection.concurrentCalls, formatNumber(toolbox.maxConcurrent)],
    [text.settings.configurationSection.queuedCalls, formatNumber(toolbox.maxQueued)],
    [text.settings.configurationSection.toolNames, namings[toolbox.naming]],
    [text.settings.configurationSection.maximumResultSize, formatBinaryBytes(toolbox.maxResultBytes)],
    [text.settings.configurationSection.approvalMode, approvalModes[approval.mode].label],
    [
      text.settings.configurationSection.trustedTools,
      <Patterns key="trusted" patterns={approval.trustedTools} none={text.common.none} />,
    ],
    [
      text.settings.configurationSection.alwaysAsk,
      <Patterns key="ask" patterns={approval.ask} none={text.common.none} />,
    ],
    [text.settings.configurationSection.deny, <Patterns key="deny" patterns={approval.deny} none={text.common.none} />],
    [text.settings.configurationSection.approvalsExpireAfter, formatSpan(approval.expiresMs)],
    [
      text.settings.configurationSection.toolsOwnSettings,
      <Patterns key="tools" patterns={tools.map(describeTool)} none={text.common.none} />,
    ],
    [
      text.settings.configurationSection.otherLocalTools,
      (toolbox.localToolsMustBeConfigured
        ? text.settings.configurationSection.toolLimitsIfConfigured
        : text.settings.configurationSection.toolLimits)(defaultTool.maxInstances, formatSpan(defaultTool.timeoutMs)),
    ],
  ];
}

/** The settings of the gateway: address, access and storage. */
function gatewayFacts(gateway: Config['gateway']): FactList {
  const { jwt, webhook, retention, tracesOrigin } = gateway;
  return [
    [
      text.settings.configurationSection.address,
      text.settings.configurationSection.port(safeText(gateway.host, 100), String(gateway.port)),
    ],
    [
      text.settings.configurationSection.authentication,
      gateway.requireAuthentication
        ? text.settings.configurationSection.requiredEveryone
        : text.settings.configurationSection.requiredExceptLocalConnections,
    ],
    [
      text.settings.configurationSection.allowedHosts,
      <Patterns key="hosts" patterns={gateway.allowedHosts} none={text.common.none} />,
    ],
    [
      text.settings.configurationSection.allowedOrigins,
      <Patterns key="origins" patterns={gateway.allowedOrigins} none={text.settings.configurationSection.onlyApp} />,
    ],
    [
      text.settings.configurationSection.identityProvider,
      jwt ? safeText(String(jwt.issuer ?? ''), 300) : text.settings.configurationSection.noneKeysAdminToken,
    ],
    [
      text.settings.configurationSection.addLocalStdioServers,
      gateway.allowPrograms ? text.settings.configurationSection.yesSignedAdministrators : text.common.no,
    ],
    [
      text.settings.configurationSection.addServersPrivateAddresses,
      gateway.allowPrivateAddresses ? text.common.yes : text.common.no,
    ],
    [
      text.settings.configurationSection.callsKept,
      text.settings.configurationSection.mostCalls(formatSpan(retention.maxAgeMs), retention.maxCalls),
    ],
    [
      text.settings.configurationSection.database,
      gateway.database ? 'PostgreSQL' : text.settings.configurationSection.sqlite,
    ],
    [text.settings.configurationSection.approvalWebhook, webhook ? safeText(webhook.origin, 300) : text.common.none],
    webhook && [text.settings.configurationSection.webhookSigned, webhook.secret ? text.common.yes : text.common.no],
    [
      text.settings.configurationSection.traceExport,
      tracesOrigin === undefined ? text.common.none : safeText(tracesOrigin, 300),
    ],
    [text.settings.configurationSection.waitStartingServers, formatSpan(gateway.listWaitMs)],
    [text.settings.configurationSection.questionTimeout, formatSpan(gateway.questionTimeoutMs)],
    [text.settings.configurationSection.shutdownGracePeriod, formatSpan(gateway.shutdownMs)],
  ];
}

function describeTool(tool: Readonly<Record<string, unknown>>): string {
  const { name, server, maxInstances, timeoutMs, mode } = tool;
  const parts = [
    typeof maxInstances === 'number' && text.settings.configurationSection.concurrentCallsCount(maxInstances),
    typeof timeoutMs === 'number' && formatSpan(timeoutMs),
    mode,
  ].filter(Boolean);
  const title = server === undefined ? String(name) : `${server}/${name}`;
  return parts.length === 0 ? title : `${title} (${parts.join(', ')})`;
}
