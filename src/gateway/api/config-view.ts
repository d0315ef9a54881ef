import type { z } from 'zod';
import type { GatewayConfig } from '../../config/gateway-config.ts';
import { withoutSecrets } from '../../config/server-url.ts';
import type { ApiPorts } from './route.ts';
import type { configSchema } from './schemas/settings.ts';

type ConfigView = z.input<typeof configSchema>;

/** The configuration in use. Members are listed one by one, so that a new one is not exposed by accident. */
export function toConfigView({ toolbox, gateway: info, security }: ApiPorts, port: number | undefined): ConfigView {
  const { servers, toolbox: settings, gateway, dialect } = toolbox.config;
  const { file, warnings } = toolbox.loaded;
  return {
    file,
    dialect,
    warnings,
    refused: info.configError(),
    servers: servers.map(({ name }) => name),
    plugins: toolbox.plugins().map((plugin) => ({ ...plugin, parts: [...plugin.parts] })),
    toolbox: {
      maxConcurrent: settings.maxConcurrent,
      maxQueued: settings.maxQueued,
      naming: settings.naming,
      maxResultBytes: settings.maxResultBytes,
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
  const { jwt, oidc, webhook, tracesUrl, database } = gateway;
  return {
    allowedHosts: gateway.allowedHosts,
    allowedOrigins: gateway.allowedOrigins,
    requireAuthentication: gateway.requireAuthentication,
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
    tracesOrigin: tracesUrl === undefined ? undefined : originOf(tracesUrl),
    database: database === undefined ? undefined : { set: true },
  };
}

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? '';
}
