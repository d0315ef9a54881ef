import type { z } from 'zod';
import type { clientListSchema, configSchema } from '../../../../contract/api/settings.ts';
import { isHealthy } from '../../../../contract/connections.ts';
import { ToolwharfError } from '../../../../contract/errors.ts';
import { settingsRoutes as routes } from '../../../../contract/routes/settings.ts';
import type { GatewayConfig } from '../../../../contract/settings/gateway-config.ts';
import { withoutSecrets } from '../../../../contract/settings/server-url.ts';
import { version } from '../../../../toolwharf/kernel/version.ts';
import { hasRight, readsAllCalls } from '../../auth/identity.ts';
import { entryText } from '../../clients/entry-text.ts';
import {
  type ClientSetup,
  clientEntryName,
  clientIds,
  endpointPath,
  mcpClients,
  type StdioProgram,
  stdioSetup,
} from '../../clients/mcp-clients.ts';
import { isLoopback, schemeOf } from '../../http/guard.ts';
import { listApprovals, scopeFor } from '../access.ts';
import { type ApiPorts, type ApiRequest, implement } from '../route.ts';

export const settingsRoutes = [
  implement(routes.listClients, {
    async handle(request, ports) {
      const { profile } = request.query;
      const { identity } = request;
      const isOpen = identity.profile === undefined || identity.profile === profile;
      if (!isOpen || !ports.toolbox.config.profiles.some(({ name }) => name === profile))
        throw new ToolwharfError('NOT_FOUND', `There is no profile '${profile}'`);
      return describeClients(profile, request, ports);
    },
  }),
  implement(routes.getConfig, {
    handle: async ({ incoming }, ports) => toConfigView(ports, incoming.socket.localPort),
  }),
  implement(routes.getHealth, {
    async handle(request, ports) {
      const { toolbox, stopping, gateway } = ports;
      const scope = scopeFor(request, ports);
      const servers = toolbox.servers.list().filter(({ name }) => scope.hasServer(name));
      const inState = (state: string) => servers.filter(({ status }) => status.state === state).length;
      const areHealthy = servers.every(({ enabled, status }) => !enabled || isHealthy(status.state));
      const { running, queued, unanswered = 0 } = toolbox.calls.stats();
      const pending = readsAllCalls(request.identity)
        ? await ports.storage.approvals.countPending(Date.now())
        : (await listApprovals({ status: 'pending', limit: 1_000 }, request.identity, ports)).length;
      return {
        status: stopping.aborted ? ('stopping' as const) : areHealthy ? ('ok' as const) : ('degraded' as const),
        version,
        startedAt: gateway.startedAt,
        servers: {
          total: servers.length,
          connected: inState('connected'),
          degraded: inState('degraded'),
          connecting: inState('connecting'),
          sleeping: inState('sleeping'),
          error: inState('error'),
          disconnected: inState('disconnected'),
        },
        calls: { running, queued, unanswered },
        sessions: gateway.mcp.open.sessions,
        pendingApprovals: pending,
      };
    },
  }),
  implement(routes.getOpenApiDocument, {
    handle: async (_request, { gateway }) => gateway.openApi(),
  }),
];

type ClientList = z.input<typeof clientListSchema>;

/** The configuration snippet of each known client for a profile's endpoint, with the address that this request was sent to. */
function describeClients(
  profile: string,
  { incoming: { headers, socket }, identity }: Pick<ApiRequest, 'incoming' | 'identity'>,
  { toolbox, security, gateway: { env, host, stdioProgram } }: ApiPorts,
): ClientList {
  const { requireAuthentication, url: publicUrl } = toolbox.config.gateway;
  // The headers can be forged, but they only affect the suggested URL.
  const scheme = schemeOf({ headers, socket });
  const origin = publicUrl?.replace(/\/$/, '') ?? `${scheme}://${headers.host ?? 'localhost'}`;
  const url = `${origin}${endpointPath(profile)}`;
  const needsKey = requireAuthentication || !isLoopback(host);
  const authentication = security.provider.settings() ? 'sign-in' : needsKey ? 'key' : 'none';
  // Paths of this machine are shown only to administrators on this machine.
  const isLocalAdmin = hasRight(identity, 'settings.read') && isLoopback(socket.remoteAddress ?? '');
  const program: StdioProgram = (isLocalAdmin ? stdioProgram : undefined) ?? {
    command: 'toolwharf',
    args: isLoopback(host) ? ['stdio'] : ['stdio', '--url', origin],
  };
  const name = clientEntryName(profile);
  const clients = clientIds.map((id) => {
    const client = mcpClients[id];
    const [file] = client.files('user', { env, platform: process.platform, cwd: process.cwd() }, name);
    const entry = client.entry(setupFor(client.takesUrl), name);
    return {
      id,
      name: client.title,
      file: isLocalAdmin ? file : undefined,
      snippet: entryText(client, name, entry),
      language: client.format,
      // A link cannot have a key that its user still has to enter.
      installLink: authentication === 'key' ? undefined : client.installLink?.(name, entry),
    };
  });
  return { clients, url, authentication };

  function setupFor(takesUrl: boolean): ClientSetup {
    const key = authentication === 'key' ? 'KEY' : undefined;
    return takesUrl ? { kind: 'http', url, key } : stdioSetup(program, profile);
  }
}

type ConfigView = z.input<typeof configSchema>;

/** The configuration in use. Members are listed one by one, so that a new one is not exposed by accident. */
function toConfigView({ toolbox, gateway: info, security }: ApiPorts, port: number | undefined): ConfigView {
  const { servers, toolbox: settings, gateway, dialect } = toolbox.config;
  const { file, warnings } = toolbox.loaded;
  return {
    file,
    dialect,
    warnings,
    refused: info.configError(),
    servers: servers.map(({ name }) => name),
    plugins: toolbox.plugins().map((plugin) => ({ ...plugin, parts: [...plugin.parts], hooks: [...plugin.hooks] })),
    toolbox: {
      maxConcurrent: settings.maxConcurrent,
      maxQueued: settings.maxQueued,
      maxStarting: settings.maxStarting,
      naming: settings.naming,
      maxResultBytes: settings.maxResultBytes,
      newTools: settings.newTools,
      secretResults: [...settings.secretResults],
      approval: settings.approval,
      tools: settings.tools.map((tool) => ({ ...tool })),
      defaultTool: settings.defaultTool,
      localToolsMustBeConfigured: settings.localToolsMustBeConfigured,
    },
    gateway: toGatewayView(gateway, {
      // The command line overrides the configured address.
      host: info.host,
      port: port ?? gateway.port,
      allowPrograms: security.allowsPrograms(),
      allowPrivateAddresses: security.allowsPrivateAddresses(),
    }),
  };
}

function toGatewayView(
  gateway: GatewayConfig,
  effective: Pick<ConfigView['gateway'], 'host' | 'port' | 'allowPrograms' | 'allowPrivateAddresses'>,
): ConfigView['gateway'] {
  const { jwt, oidc, webhook, notifications = [], tracesUrl, database } = gateway;
  return {
    allowedHosts: gateway.allowedHosts,
    allowedOrigins: gateway.allowedOrigins,
    requireAuthentication: gateway.requireAuthentication,
    newServers: gateway.newServers,
    ...effective,
    url: gateway.url,
    oidc: oidc && {
      ...oidc,
      issuer: withoutSecrets(oidc.issuer),
      clientSecret: oidc.clientSecret === undefined ? undefined : { set: true },
    },
    jwt: jwt && { ...jwt, jwksUrl: withoutSecrets(jwt.jwksUrl) },
    retention: gateway.retention,
    trustedProxies: gateway.trustedProxies,
    limits: { ...gateway.limits },
    apps: gateway.apps,
    listWaitMs: gateway.listWaitMs,
    questionTimeoutMs: gateway.questionTimeoutMs,
    shutdownMs: gateway.shutdownMs,
    // The path of a webhook URL is often a secret.
    webhook: webhook && {
      origin: originOf(webhook.url),
      secret: webhook.secret === undefined ? undefined : { set: true },
    },
    notifications: notifications.map(({ name, type }) => ({ name, type })),
    tracesOrigin: tracesUrl === undefined ? undefined : originOf(tracesUrl),
    database: database === undefined ? undefined : { set: true },
  };
}

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? '';
}
