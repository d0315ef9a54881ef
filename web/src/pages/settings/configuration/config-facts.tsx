import type { Config } from '../../../api/client.ts';
import { pluralize } from '../../../components/pluralize.ts';
import { safeText } from '../../../components/safe-text.ts';
import { approvalModes } from '../../assistants/ApprovalModeField.tsx';
import { type Fact, namings, Patterns } from '../Facts.tsx';
import { formatBytes, formatSpan } from './format-amounts.ts';

type Facts = readonly (Fact | false | undefined)[];

/** The settings of tools and calls. */
export function toolboxFacts(toolbox: Config['toolbox']): Facts {
  const { approval, defaultTool, tools } = toolbox;
  return [
    ['Concurrent calls', toolbox.maxConcurrent.toLocaleString('en')],
    ['Queued calls', toolbox.maxQueued.toLocaleString('en')],
    ['Tool names', namings[toolbox.naming]],
    ['Maximum result size', formatBytes(toolbox.maxResultBytes)],
    ['Approval mode', approvalModes[approval.mode].label],
    ['Trusted tools', <Patterns key="trusted" patterns={approval.trustedTools} none="None" />],
    ['Always ask', <Patterns key="ask" patterns={approval.ask} none="None" />],
    ['Deny', <Patterns key="deny" patterns={approval.deny} none="None" />],
    ['Approvals expire after', formatSpan(approval.expiresMs)],
    ['Tools with own settings', <Patterns key="tools" patterns={tools.map(describeTool)} none="None" />],
    [
      'Other local tools',
      `${pluralize(defaultTool.maxInstances, 'concurrent call')}, timeout ${formatSpan(defaultTool.timeoutMs)}${toolbox.localToolsMustBeConfigured ? '; each must be configured' : ''}`,
    ],
  ];
}

/** The settings of the gateway: address, access and storage. */
export function gatewayFacts(gateway: Config['gateway']): Facts {
  const { jwt, webhook, retention, tracesOrigin } = gateway;
  return [
    [
      'Configured address',
      `${safeText(gateway.host, 100)}, port ${gateway.port === 0 ? 'chosen at start' : gateway.port}`,
    ],
    [
      'Authentication',
      gateway.requireAuthentication ? 'Required for everyone' : 'Required, except for local connections',
    ],
    ['Allowed hosts', <Patterns key="hosts" patterns={gateway.allowedHosts} none="None" />],
    ['Allowed origins', <Patterns key="origins" patterns={gateway.allowedOrigins} none="Only this app" />],
    ['Identity provider', jwt ? safeText(String(jwt.issuer ?? ''), 300) : 'None. Keys and the admin token are used.'],
    ['Add local (stdio) servers in the app', gateway.allowPrograms ? 'Yes, by signed-in administrators' : 'No'],
    ['Add servers at private addresses in the app', gateway.allowPrivateAddresses ? 'Yes' : 'No'],
    ['Calls kept', `${formatSpan(retention.maxAgeMs)}, at most ${pluralize(retention.maxCalls, 'call')}`],
    ['Database', gateway.database ? 'PostgreSQL' : 'SQLite in the data directory'],
    ['Approval webhook', webhook ? safeText(webhook.origin, 300) : 'None'],
    webhook && ['Webhook signed', webhook.secret ? 'Yes' : 'No'],
    ['Trace export', tracesOrigin === undefined ? 'None' : safeText(tracesOrigin, 300)],
    ['Wait for starting servers', formatSpan(gateway.listWaitMs)],
    ['Shutdown grace period', formatSpan(gateway.shutdownMs)],
  ];
}

function describeTool(tool: Readonly<Record<string, unknown>>): string {
  const { name, server, maxInstances, timeoutMs, mode } = tool;
  const parts = [
    typeof maxInstances === 'number' && pluralize(maxInstances, 'concurrent call'),
    typeof timeoutMs === 'number' && formatSpan(timeoutMs),
    mode,
  ].filter(Boolean);
  const title = server === undefined ? String(name) : `${server}/${name}`;
  return parts.length === 0 ? title : `${title} (${parts.join(', ')})`;
}
