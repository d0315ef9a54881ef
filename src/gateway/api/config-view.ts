import type { z } from 'zod';
import type { GatewayConfig } from '../../config/config.ts';
import { withoutSecrets } from '../../config/server-url.ts';
import type { ApiPorts } from './route.ts';
import type { configSchema } from './schemas/settings.ts';

type ConfigView = z.input<typeof configSchema>;

/** The configuration in use, member by member: what is new in it is not shown until someone decided that it may be. */
export function toConfigView({
  toolbox,
  refused,
  allowsPrograms,
  allowsPrivateAddresses,
}: Pick<ApiPorts, 'toolbox' | 'refused' | 'allowsPrograms' | 'allowsPrivateAddresses'>): ConfigView {
  const { servers, toolbox: settings, gateway, dialect } = toolbox.config;
  const { file, warnings } = toolbox.loaded;
  const refusal = refused();
  return {
    ...(file !== undefined && { file }),
    dialect,
    warnings,
    ...(refusal && { refused: refusal }),
    servers: servers.map(({ name }) => name),
    toolbox: {
      maxConcurrent: settings.maxConcurrent,
      maxQueued: settings.maxQueued,
      naming: settings.naming,
      maxResultBytes: settings.maxResultBytes,
      approval: settings.approval,
      tools: settings.tools.map((tool) => ({ ...tool })),
      defaultTool: settings.defaultTool,
      localToolsMustBeConfigured: settings.localToolsMustBeConfigured,
    },
    gateway: toGatewayView(gateway, {
      allowPrograms: allowsPrograms(),
      allowPrivateAddresses: allowsPrivateAddresses(),
    }),
  };
}

function toGatewayView(
  gateway: GatewayConfig,
  allowed: Pick<ConfigView['gateway'], 'allowPrograms' | 'allowPrivateAddresses'>,
): ConfigView['gateway'] {
  const { jwt, webhook, tracesUrl, database } = gateway;
  return {
    host: gateway.host,
    port: gateway.port,
    allowedHosts: gateway.allowedHosts,
    allowedOrigins: gateway.allowedOrigins,
    requireAuthentication: gateway.requireAuthentication,
    ...allowed,
    ...(jwt && { jwt: { ...jwt, jwksUrl: withoutSecrets(jwt.jwksUrl) } }),
    retention: gateway.retention,
    listWaitMs: gateway.listWaitMs,
    shutdownMs: gateway.shutdownMs,
    // Addresses of webhooks are often their own password.
    ...(webhook && {
      webhook: { origin: originOf(webhook.url), ...(webhook.secret !== undefined && { secret: { set: true } }) },
    }),
    ...(tracesUrl !== undefined && { tracesOrigin: originOf(tracesUrl) }),
    ...(database !== undefined && { database: { set: true } }),
  };
}

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? '';
}
