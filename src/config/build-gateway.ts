import type { GatewayConfig } from './config.ts';
import { type CheckedGateway, officialRegistry } from './gateway-schema.ts';

/** The gateway's settings with every default filled in. */
export function buildGateway(gateway: CheckedGateway): GatewayConfig {
  const { jwt, webhook, tracesUrl, database } = gateway;
  return {
    host: gateway.host ?? '127.0.0.1',
    port: gateway.port ?? 7420,
    allowedHosts: gateway.allowedHosts ?? [],
    allowedOrigins: gateway.allowedOrigins ?? [],
    requireAuthentication: gateway.requireAuthentication ?? false,
    ...(gateway.allowPrograms !== undefined && { allowPrograms: gateway.allowPrograms }),
    ...(gateway.allowPrivateAddresses !== undefined && { allowPrivateAddresses: gateway.allowPrivateAddresses }),
    registry: gateway.registry ?? officialRegistry,
    ...(jwt && { jwt }),
    retention: {
      maxAgeMs: gateway.retention?.maxAge ?? 90 * 86_400_000,
      maxCalls: gateway.retention?.maxCalls ?? 1_000_000,
    },
    listWaitMs: gateway.listWait ?? 3_000,
    shutdownMs: gateway.shutdown ?? 10_000,
    ...(webhook && { webhook }),
    ...(tracesUrl !== undefined && { tracesUrl }),
    ...(database !== undefined && { database }),
  };
}
