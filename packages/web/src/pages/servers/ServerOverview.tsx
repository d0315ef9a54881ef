import type { OfferedList, Server } from '../../api/client.ts';
import { Badge } from '../../components/Badge.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { Fact, Facts, Section } from '../../components/Facts.tsx';
import { LongList } from '../../components/LongList.tsx';
import { SafeLink } from '../../components/SafeLink.tsx';
import { ScrollBox } from '../../components/ScrollBox.tsx';
import { states } from '../../components/ServerStatus.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { TimeAgo } from '../../components/times.tsx';
import { formatDuration, formatNumber } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import { NextAttempt } from './ServerTrouble.tsx';
import { serverAddress } from './server-address.ts';
import { describeProtocol, describeServerInfo, transportLabels } from './server-labels.ts';

const kinds = [
  ['tools', 'Tools'],
  ['resources', 'Resources'],
  ['resourceTemplates', 'Resource templates'],
  ['prompts', 'Prompts'],
  ['skills', 'Skills'],
] as const;

/** The address, protocol, offers and self-description of a server. */
export function ServerOverview({ server }: { readonly server: Server }) {
  const { status, place, record, readOnly, offers } = server;
  const { serverInfo, capabilities, instructions, connectMs, pid } = status;
  const isApi = server.transport === 'api';
  const described = describeServerInfo(serverInfo);
  // An API without a document has no description.
  const info = isApi && serverInfo?.name === server.name ? undefined : described;
  // Templates belong to the capability `resources`.
  const isUnsupported = (kind: string) =>
    // Skills are an extension of the protocol.
    kind === 'skills'
      ? capabilities !== undefined && offers.skills === undefined
      : capabilities !== undefined && capabilities[kind === 'resourceTemplates' ? 'resources' : kind] === undefined;
  const website = serverInfo?.websiteUrl;
  const rejected = kinds.flatMap(([kind, label]) =>
    (offers[kind]?.rejected ?? []).map(({ name, reason }) => ({ kind: label, name, reason })),
  );
  return (
    <div className="flex flex-col gap-5">
      <Facts>
        {readOnly !== undefined && <Fact name="Read-only">{safeText(readOnly, 500)}</Fact>}
        {place !== undefined && (
          <Fact name={server.transport === 'stdio' ? 'Command' : 'URL'}>
            <span className="flex items-start gap-1">
              <code className="min-w-0 break-all">{safeText(place, 2_000)}</code>
              <CopyButton text={place} what={server.transport === 'stdio' ? 'command' : 'URL'} />
            </span>
          </Fact>
        )}
        <Fact name="Transport">
          {status.transport === undefined || status.transport === server.transport
            ? transportLabels[server.transport]
            : `${transportLabels[server.transport]}, in use: ${transportLabels[status.transport]}`}
        </Fact>
        {record?.openapi !== undefined && (
          <Fact name="OpenAPI document">
            <code className="break-all">{safeText(record.openapi, 2_000)}</code>
          </Fact>
        )}
        {record?.endpoints && record.endpoints.length > 0 && (
          <Fact name="Endpoints">{plural(record.endpoints.length, 'endpoint')}</Fact>
        )}
        {status.protocolVersion !== undefined && !isApi && (
          <Fact name="Protocol">{describeProtocol({ era: status.era, protocolVersion: status.protocolVersion })}</Fact>
        )}
        {connectMs !== undefined && <Fact name="Connect duration">{formatDuration(connectMs)}</Fact>}
        {pid !== undefined && <Fact name="Process id">{pid}</Fact>}
        {record && record.transport !== 'stdio' && <Fact name="Authentication">{record.authentication.type}</Fact>}
        {record && (
          <>
            <Fact name="Request timeout">{formatDuration(record.timeout)}</Fact>
            <Fact name="Retries">{`${formatNumber(record.retryAttempts)} at the start, then in the background`}</Fact>
          </>
        )}
        {server.required && <Fact name="Required">The gateway does not start without this server</Fact>}
        {server.trusted && <Fact name="Trusted">Its tool annotations are trusted</Fact>}
        {server.mode === 'strict' && <Fact name="Mode">Strict: only configured tools can be used</Fact>}
      </Facts>

      <Section title="Offers">
        <Facts>
          {kinds.map(([kind, label]) => (
            <Fact key={kind} name={label}>
              <Offer list={offers[kind]} href={offerAddress(kind, server.name)} isUnsupported={isUnsupported(kind)} />
            </Fact>
          ))}
        </Facts>
      </Section>

      {rejected.length > 0 && (
        <Section title="Left out">
          <p className="mb-1 text-ink-soft">These definitions are invalid or unsafe.</p>
          <LongList label="Left out" items={rejected} keyOf={({ kind, name, reason }) => `${kind} ${name} ${reason}`}>
            {({ kind, name, reason }) => (
              <p className="py-1.5 break-words">
                <Badge tone="warn">{safeText(name, 100) || '(no name)'}</Badge>{' '}
                <span className="text-ink-faint">{kind}:</span> {safeText(reason, 1_000)}
              </p>
            )}
          </LongList>
        </Section>
      )}

      <Section title="Timeline">
        <ServerTimeline server={server} />
      </Section>

      {(info !== undefined || instructions !== undefined || (capabilities && !isApi)) && (
        <Section title="Self-description">
          <Facts>
            {info !== undefined && <Fact name="Name">{info}</Fact>}
            {typeof website === 'string' && (
              <Fact name="Website">
                <SafeLink href={website}>{safeText(website, 200)}</SafeLink>
              </Fact>
            )}
            {capabilities && !isApi && (
              <Fact name="Capabilities">{safeText(Object.keys(capabilities).join(', '), 500) || 'none'}</Fact>
            )}
          </Facts>
          {instructions !== undefined && instructions !== '' && (
            <>
              <p className="mt-3 mb-1 text-ink-faint">Instructions for the model</p>
              <ScrollBox
                label="Instructions"
                className="max-h-72 rounded-md bg-sunken p-3 break-words whitespace-pre-wrap"
              >
                {safeText(instructions)}
              </ScrollBox>
            </>
          )}
        </Section>
      )}
    </div>
  );
}

interface OfferProps {
  readonly list: OfferedList | undefined;
  readonly href: string;
  /** The server does not have this capability. */
  readonly isUnsupported: boolean;
}

function Offer({ list, href, isUnsupported }: OfferProps) {
  if (!list) return <span className="text-ink-faint">{isUnsupported ? 'not supported' : 'not loaded yet'}</span>;
  return (
    <span className="tabular-nums">
      {list.count === 0 ? '0' : <TextLink href={href}>{list.count}</TextLink>}{' '}
      {list.stale && <Badge tone="warn">last known</Badge>}
    </span>
  );
}

function offerAddress(kind: keyof Server['offers'], name: string): string {
  if (kind === 'tools') return `${serverAddress(name)}?tab=tools`;
  return `/tools?show=${kind === 'resourceTemplates' ? 'resources' : kind}&server=${encodeURIComponent(name)}`;
}

/** The known events of a server, oldest first. */
function ServerTimeline({ server }: { readonly server: Server }) {
  const { record, status } = server;
  const events: [string, string | undefined][] = [
    ['Added', record?.createdAt],
    ['Settings changed', record?.updatedAt === record?.createdAt ? undefined : record?.updatedAt],
    ['Last connected', status.state === 'connected' ? undefined : (status.lastConnectedAt ?? record?.lastConnectedAt)],
    [
      `${states[status.state][1]}${status.failures > 1 ? `, ${plural(status.failures, 'failed attempt')} in a row` : ''}`,
      status.since,
    ],
  ];
  const known = events.filter((event): event is [string, string] => event[1] !== undefined);
  return (
    <ol className="ml-1 flex flex-col gap-2 border-l border-line pl-4">
      {known
        .sort(([, a], [, b]) => Date.parse(a) - Date.parse(b))
        .map(([event, at]) => (
          <li key={event} className="relative">
            <Dot />
            {event} <span className="text-ink-faint">·</span> <TimeAgo at={at} />{' '}
            <span className="text-xs text-ink-faint">({new Date(at).toLocaleString()})</span>
          </li>
        ))}
      {status.nextTryAt !== undefined && (
        <li className="relative text-ink-soft">
          <Dot />
          <NextAttempt at={status.nextTryAt} />
        </li>
      )}
    </ol>
  );
}

function Dot() {
  return <span aria-hidden className="absolute top-1.5 -left-[1.28rem] size-2 rounded-full bg-line-strong" />;
}
