import type { OfferedList, Server } from '../../api/client.ts';
import { Badge } from '../../components/Badge.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { Fact, Facts, Section } from '../../components/Facts.tsx';
import { LongList } from '../../components/LongList.tsx';
import { SafeLink } from '../../components/SafeLink.tsx';
import { ScrollBox } from '../../components/ScrollBox.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { TimeAgo } from '../../components/times.tsx';
import { formatDuration } from '../../text/formats.ts';
import { text } from '../../text/text.ts';
import { NextAttempt } from './ServerTrouble.tsx';
import { serverAddress } from './server-address.ts';
import { describeProtocol, describeServerInfo, transportLabels } from './server-labels.ts';

const kinds = [
  ['tools', text.servers.serverOverview.tools],
  ['resources', text.servers.serverOverview.resources],
  ['resourceTemplates', text.servers.serverOverview.resourceTemplates],
  ['prompts', text.servers.serverOverview.prompts],
  ['skills', text.servers.serverOverview.skills],
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
        {readOnly !== undefined && <Fact name={text.servers.serverOverview.readOnly}>{safeText(readOnly, 500)}</Fact>}
        {place !== undefined && (
          <Fact name={server.transport === 'stdio' ? text.servers.serverOverview.command : 'URL'}>
            <span className="flex items-start gap-1">
              <code className="min-w-0 break-all">{safeText(place, 2_000)}</code>
              <CopyButton
                text={place}
                what={
                  server.transport === 'stdio'
                    ? text.servers.serverOverview.commandNoun
                    : text.servers.serverOverview.url
                }
              />
            </span>
          </Fact>
        )}
        <Fact name={text.servers.serverOverview.transport}>
          {status.transport === undefined || status.transport === server.transport
            ? transportLabels[server.transport]
            : text.servers.serverOverview.transportInUse(
                transportLabels[server.transport],
                transportLabels[status.transport],
              )}
        </Fact>
        {record?.openapi !== undefined && (
          <Fact name="OpenAPI document">
            <code className="break-all">{safeText(record.openapi, 2_000)}</code>
          </Fact>
        )}
        {record?.endpoints && record.endpoints.length > 0 && (
          <Fact name={text.servers.serverOverview.endpoints}>
            {text.servers.serverOverview.endpointCount(record.endpoints.length)}
          </Fact>
        )}
        {status.protocolVersion !== undefined && !isApi && (
          <Fact name={text.servers.serverOverview.protocol}>
            {describeProtocol({ era: status.era, protocolVersion: status.protocolVersion })}
          </Fact>
        )}
        {connectMs !== undefined && (
          <Fact name={text.servers.serverOverview.connectDuration}>{formatDuration(connectMs)}</Fact>
        )}
        {pid !== undefined && <Fact name={text.servers.serverOverview.processId}>{pid}</Fact>}
        {record && record.transport !== 'stdio' && (
          <Fact name={text.servers.serverOverview.authentication}>{record.authentication.type}</Fact>
        )}
        {record && (
          <>
            <Fact name={text.servers.serverOverview.requestTimeout}>{formatDuration(record.timeout)}</Fact>
            <Fact name={text.servers.serverOverview.retries}>
              {text.servers.serverOverview.thenOnceHour(record.retryAttempts)}
            </Fact>
          </>
        )}
        {server.required && <Fact name={text.common.required}>{text.servers.serverOverview.gatewayDoesNotStart}</Fact>}
        {server.trusted && (
          <Fact name={text.servers.serverOverview.trusted}>{text.servers.serverOverview.toolAnnotationsTrusted}</Fact>
        )}
        {server.mode === 'strict' && (
          <Fact name={text.servers.serverOverview.mode}>{text.servers.serverOverview.strictOnlyConfiguredTools}</Fact>
        )}
      </Facts>

      <Section title={text.servers.serverOverview.offers}>
        <Facts>
          {kinds.map(([kind, label]) => (
            <Fact key={kind} name={label}>
              <Offer list={offers[kind]} href={offerAddress(kind, server.name)} isUnsupported={isUnsupported(kind)} />
            </Fact>
          ))}
        </Facts>
      </Section>

      {rejected.length > 0 && (
        <Section title={text.servers.serverOverview.leftOut}>
          <p className="mb-1 text-ink-soft">{text.servers.serverOverview.theseDefinitionsInvalidUnsafe}</p>
          <LongList
            label={text.servers.serverOverview.leftOut}
            items={rejected}
            keyOf={({ kind, name, reason }) => `${kind} ${name} ${reason}`}
          >
            {({ kind, name, reason }) => (
              <p className="py-1.5 break-words">
                <Badge tone="warn">{safeText(name, 100) || text.servers.serverOverview.noName}</Badge>{' '}
                <span className="text-ink-faint">{kind}:</span> {safeText(reason, 1_000)}
              </p>
            )}
          </LongList>
        </Section>
      )}

      <Section title={text.servers.serverOverview.timeline}>
        <ServerTimeline server={server} />
      </Section>

      {(info !== undefined || instructions !== undefined || (capabilities && !isApi)) && (
        <Section title={text.servers.serverOverview.selfDescription}>
          <Facts>
            {info !== undefined && <Fact name={text.common.name}>{info}</Fact>}
            {typeof website === 'string' && (
              <Fact name={text.servers.serverOverview.website}>
                <SafeLink href={website}>{safeText(website, 200)}</SafeLink>
              </Fact>
            )}
            {capabilities && !isApi && (
              <Fact name={text.servers.serverOverview.capabilities}>
                {safeText(Object.keys(capabilities).join(', '), 500) || text.servers.serverOverview.none}
              </Fact>
            )}
          </Facts>
          {instructions !== undefined && instructions !== '' && (
            <>
              <p className="mt-3 mb-1 text-ink-faint">{text.servers.serverOverview.instructionsModel}</p>
              <ScrollBox
                label={text.servers.serverOverview.instructions}
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
  if (!list)
    return (
      <span className="text-ink-faint">
        {isUnsupported ? text.servers.serverOverview.notSupported : text.servers.serverOverview.notLoadedYet}
      </span>
    );
  return (
    <span className="tabular-nums">
      {list.count === 0 ? '0' : <TextLink href={href}>{list.count}</TextLink>}{' '}
      {list.stale && <Badge tone="warn">{text.servers.serverOverview.lastKnown}</Badge>}
    </span>
  );
}

function offerAddress(kind: keyof Server['offers'], name: string): string {
  if (kind === 'tools') return `${serverAddress(name)}?tab=tools`;
  return `/tools?show=${kind === 'resourceTemplates' ? 'resources' : kind}&server=${encodeURIComponent(name)}`;
}

const states = {
  connected: text.servers.serverOverview.connected,
  degraded: text.servers.serverOverview.degraded,
  connecting: text.servers.serverOverview.connecting,
  error: text.servers.serverOverview.failed,
  disconnected: text.servers.serverOverview.disconnected,
} as const;

/** The known events of a server, oldest first. */
function ServerTimeline({ server }: { readonly server: Server }) {
  const { record, status } = server;
  const events: [string, string | undefined][] = [
    [text.servers.serverOverview.added, record?.createdAt],
    [
      text.servers.serverOverview.settingsChanged,
      record?.updatedAt === record?.createdAt ? undefined : record?.updatedAt,
    ],
    [
      text.servers.serverOverview.lastConnected,
      status.state === 'connected' ? undefined : (status.lastConnectedAt ?? record?.lastConnectedAt),
    ],
    [
      status.failures > 1
        ? text.servers.serverOverview.failedAttemptsRow(states[status.state], status.failures)
        : states[status.state],
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
