import type { JsonObject } from '../kernel/json.ts';

/** A plugin that the configuration names. */
export interface PluginEntry {
  /** As written: the name of a package, or a path. */
  readonly module: string;
  /** The absolute path of the module; undefined for a package. */
  readonly file?: string;
  /** The directory from which a package is resolved: that of the configuration file, or the working directory. */
  readonly directory: string;
  /** The options for the plugin. Texts may be `${VAR}` or `${file:…}` references, which are resolved when it is loaded. */
  readonly options?: JsonObject;
}

/** A server that the transport of a plugin reaches. */
export interface PluginTarget {
  readonly transport: 'plugin';
  /** The plugin's name for the transport. */
  readonly name: string;
  /** The options for the transport. Texts may be references, which are resolved when the server connects. */
  readonly options: JsonObject;
}
