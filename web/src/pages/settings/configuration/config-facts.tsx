import type { Config } from '../../../api/client.ts';
import { safeText } from '../../../components/safe-text.ts';
import { approvalModes } from '../../assistants/approval-modes.ts';
import type { Fact } from '../Facts.tsx';
import { Patterns } from '../Patterns.tsx';
import { namings } from '../words.ts';
import { formatBytes, formatSpan } from './format-amounts.ts';

type Facts = readonly (Fact | false | undefined)[];

/** What holds for all tools and calls. */
export function toolboxFacts(toolbox: Config['toolbox']): Facts {
  const { approval, defaultTool, tools } = toolbox;
  return [
    ['Calls at a time', toolbox.maxConcurrent.toLocaleString('en')],
    ['Calls that may wait for a place', toolbox.maxQueued.toLocaleString('en')],
    ['Names of tools', namings[toolbox.naming]],
    ['Results are cut after', formatBytes(toolbox.maxResultBytes)],
    ['Approval', approvalModes[approval.mode].label],
    ['Trusted tools', <Patterns key="trusted" patterns={approval.trustedTools} none="None" />],
    ['Always asked about', <Patterns key="ask" patterns={approval.ask} none="None" />],
    ['Never run', <Patterns key="deny" patterns={approval.deny} none="None" />],
    ['A question waits', `${formatSpan(approval.expiresMs)}, then the answer is no`],
    ['Tools with settings of their own', <Patterns key="tools" patterns={tools.map(describeTool)} none="None" />],
    [
      'Other tools of this program',
      `${defaultTool.maxInstances} at a time, ${formatSpan(defaultTool.timeoutMs)} each${toolbox.localToolsMustBeConfigured ? '; each must be configured' : ''}`,
    ],
  ];
}

/** How the gateway is reached, by whom, and what it keeps. */
export function gatewayFacts(gateway: Config['gateway']): Facts {
  const { jwt, webhook, retention, tracesOrigin } = gateway;
  return [
    ['Set to listen on', `${safeText(gateway.host, 100)}, port ${gateway.port === 0 ? 'any free one' : gateway.port}`],
    [
      'Authentication',
      gateway.requireAuthentication
        ? 'Required from everybody'
        : 'Not required from this machine; required from everywhere else',
    ],
    ['Other names it answers to', <Patterns key="hosts" patterns={gateway.allowedHosts} none="None" />],
    ['Web pages that may use it', <Patterns key="origins" patterns={gateway.allowedOrigins} none="Only this app" />],
    [
      'Identity provider',
      jwt ? safeText(String(jwt.issuer ?? ''), 300) : 'None: people and programs use keys and the admin token',
    ],
    ['Programs may be added here', gateway.allowPrograms ? 'Yes, by administrators who signed in' : 'No'],
    ['Private addresses may be added here', gateway.allowPrivateAddresses ? 'Yes' : 'No'],
    ['Calls are kept', `${formatSpan(retention.maxAgeMs)}, ${retention.maxCalls.toLocaleString('en')} at most`],
    ['Database', gateway.database ? 'PostgreSQL' : 'SQLite in the data directory'],
    ['Questions are announced to', webhook ? safeText(webhook.origin, 300) : 'Nobody'],
    webhook && ['Announcements are signed', webhook.secret ? 'Yes' : 'No'],
    ['Traces are sent to', tracesOrigin === undefined ? 'Nobody' : safeText(tracesOrigin, 300)],
    ['Lists wait for starting servers', formatSpan(gateway.listWaitMs)],
    ['Running calls may end within', `${formatSpan(gateway.shutdownMs)} of being told to stop`],
  ];
}

function describeTool(tool: Readonly<Record<string, unknown>>): string {
  const { name, server, maxInstances, timeoutMs, mode } = tool;
  const parts = [
    maxInstances !== undefined && `${maxInstances} at a time`,
    typeof timeoutMs === 'number' && formatSpan(timeoutMs),
    mode,
  ].filter(Boolean);
  const title = server === undefined ? String(name) : `${server}/${name}`;
  return parts.length === 0 ? title : `${title} (${parts.join(', ')})`;
}
