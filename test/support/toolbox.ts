import { openConfig } from '../../packages/toolwharf/config/open-config.ts';
import type { ConfigSource } from '../../packages/toolwharf/index.ts';
import { transportNames } from '../../packages/toolwharf/plugins/plugin-set.ts';
import { type InternalToolbox, type InternalToolboxOptions, startToolbox } from '../../packages/toolwharf/toolbox.ts';
import { patienceMs } from './wait-for.ts';

/** A toolbox that waits for its servers, regardless of the speed of the machine. */
export async function openToolbox(
  source: ConfigSource,
  options: InternalToolboxOptions = {},
): Promise<InternalToolbox> {
  const { log = false, env = process.env } = options;
  const transports = transportNames(options.plugins);
  const loaded = await openConfig(source, { env, log: log || undefined, transports });
  return startToolbox(loaded, { startWaitMs: patienceMs, log, ...options });
}

/** The configuration of a gateway that waits as long before it lists tools, unless the configuration overrides it. */
export function patiently(source: ConfigSource): ConfigSource {
  if (typeof source === 'string') return source;
  const { gateway, ...rest } = source as { gateway?: object };
  return { ...rest, gateway: { listWait: patienceMs, ...gateway } } as ConfigSource;
}
