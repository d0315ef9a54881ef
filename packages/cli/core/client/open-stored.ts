import { openStorage } from '../../../gateway/core/storage/open-storage.ts';
import type { ConfigSource } from '../../../toolwharf/config/config-source.ts';
import { findConfigFile } from '../../../toolwharf/config/load-config.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../errors.ts';
import type { GatewayClient } from './gateway-client.ts';
import { openOwnGateway } from './open-own-gateway.ts';
import { hasStore, locateStore, openStore, requireStore } from './open-store.ts';
import { noGateway, selectGateway, selectRunning } from './select-gateway.ts';

/** Selects the running gateway, else opens one in this process on the data directory. A database that others share needs a running one. */
export async function requireStored(context: CommandContext): Promise<GatewayClient> {
  if (context.options.local) throw new UsageError('This command needs the gateway: omit --local');
  const running = await selectRunning(context);
  if (running) return running;
  if ((await locateStore(context)).database !== undefined) throw noGateway(context);
  return openOwnStore(context, 'fail');
}

/** Selects the running gateway, else opens one in this process on the store; if there is none, on an empty one or a new one. */
export async function openStored(
  context: CommandContext,
  ifMissing: 'fail' | 'empty' | 'create',
): Promise<GatewayClient> {
  return (await selectGateway(context)) ?? openOwnStore(context, ifMissing);
}

/** The configuration of the command line, without the default servers if there is none: opening them would create their folder. */
async function configWithoutDefaults({ options, cwd }: CommandContext): Promise<ConfigSource> {
  return options.config ?? (await findConfigFile(cwd)) ?? { servers: {} };
}

/** Opens a gateway that serves what is stored and connects no server. It is closed when the command has ended. */
async function openOwnStore(context: CommandContext, ifMissing: 'fail' | 'empty' | 'create'): Promise<GatewayClient> {
  const source = ifMissing === 'fail' ? await configWithoutDefaults(context) : undefined;
  const location = await (ifMissing === 'fail' ? requireStore : locateStore)(context);
  const isStored = ifMissing === 'create' || (await hasStore(location));
  const storage = isStored ? (await openStore(location)).storage : await openStorage({ kind: 'memory' });
  const own = await openOwnGateway(context, { storage, source, sourceName: () => location.dataDir, connects: false });
  context.closeAtEnd(own);
  return own.client;
}
