import type { Catalog, UnnamedEntry } from '../catalog/catalog.ts';
import type { LocalTool } from '../catalog/local-tool.ts';
import type { ChainConfig, Config } from '../config/config.ts';
import { registerLocalTools, registerScripts } from './register-local-tools.ts';

/** The tools of a toolbox that belong to no server: those of the program and of the configuration, and saved scripts. */
export interface LocalTools {
  /** Reads the tools of the program, of plugins and of a configuration. Rejects if they cannot be used. */
  load(config: Config, ofPlugins: readonly LocalTool[]): Promise<readonly UnnamedEntry[]>;
  /** Offers the tools of a configuration, and the saved scripts beside them. */
  use(config: Config, tools: readonly UnnamedEntry[]): Promise<void>;
  /** Replaces the saved scripts. `build` is called again for another configuration. */
  setScripts(build: (config: Config) => readonly ChainConfig[]): Promise<void>;
}

export interface LocalToolsPorts {
  readonly catalog: Pick<Catalog, 'setLocal'>;
  readonly ofProgram?: readonly LocalTool[];
}

export function createLocalTools({ catalog, ofProgram = [] }: LocalToolsPorts): LocalTools {
  let current: { readonly config: Config; readonly tools: readonly UnnamedEntry[] } | undefined;
  let build: (config: Config) => readonly ChainConfig[] = () => [];

  async function apply(): Promise<void> {
    if (!current) return;
    const { config, tools } = current;
    await catalog.setLocal([...tools, ...registerScripts(build(config), tools, config.toolbox)]);
  }

  return {
    load: (config, ofPlugins) => registerLocalTools(config, [...ofProgram, ...ofPlugins]),
    use(config, tools) {
      current = { config, tools };
      return apply();
    },
    setScripts(next) {
      build = next;
      return apply();
    },
  };
}
