import { type ConfigSource, createToolbox, type Toolbox, type ToolboxOptions } from '../../src/index.ts';
import { patienceMs } from './wait-for.ts';

/** A toolbox that waits for its servers however long their start takes on a busy machine. */
export function openToolbox(source: ConfigSource, options: ToolboxOptions = {}): Promise<Toolbox> {
  return createToolbox(source, { startWaitMs: patienceMs, ...options });
}

/** The configuration of a gateway that waits as long before it lists tools, unless the configuration says otherwise. */
export function patiently(source: ConfigSource): ConfigSource {
  if (typeof source === 'string') return source;
  const { gateway, ...rest } = source as { gateway?: object };
  return { ...rest, gateway: { listWait: patienceMs, ...gateway } } as ConfigSource;
}
