import type { Config } from '../../contract/settings/config.ts';
import { type PluginSection, pluginSections } from '../../contract/settings/native-schema.ts';

/** What a configuration says about a section that a plugin applies; undefined if it needs no plugin. */
export function readSection(config: Config, section: PluginSection): unknown {
  if (section !== 'sandbox') return config[section];
  const { default: mode } = config.gateway.sandbox;
  const isUsed = mode !== 'off' || config.servers.some(({ sandbox }) => (sandbox?.mode ?? mode) !== 'off');
  return isUsed ? { mode } : undefined;
}

/** The sections that plugins must apply. */
export function usedSections(config: Config): readonly PluginSection[] {
  return pluginSections.filter((section) => readSection(config, section) !== undefined);
}
