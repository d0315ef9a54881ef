import { loadLocalTools, toChainTools } from '../servers/local-tools.ts';
import type { FeaturePlugin } from './plugin-set.ts';

/** The plugins of every toolbox: the tools of the configuration. */
export const ownPlugins: readonly FeaturePlugin[] = [
  {
    feature: 'local-tools',
    plugin: { name: 'toolwharf.local-tools', tools: ({ localTools }) => loadLocalTools(localTools) },
  },
  { feature: 'chains', plugin: { name: 'toolwharf.chains', tools: ({ toolbox }) => toChainTools(toolbox.chains) } },
];
