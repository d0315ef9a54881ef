import type { JsonObject } from '../json.ts';
import type { OnPluginFailure, PluginMode } from './choices.ts';

/** How a plugin is used. */
export interface PluginSettings {
  /** The options for the plugin. Texts may be `${VAR}` or `${file:…}` references, which are resolved when it is loaded. */
  readonly options?: JsonObject;
  /** `shadow` only records what its hooks would have done; `enforce`. */
  readonly mode?: PluginMode;
  /** What happens when a hook fails: `allow` goes on without the plugin; `deny`. */
  readonly onFailure?: OnPluginFailure;
  /** How long each hook may take; 5 000, and 30 000 for `notify`. */
  readonly timeoutMs?: number;
}

/** A plugin that the configuration names. */
export interface PluginEntry extends PluginSettings {
  /** As written: the name of a package, or a path. */
  readonly module: string;
  /** The absolute path of the module; undefined for a package. */
  readonly file?: string;
  /** The directory from which a package is resolved: that of the configuration file, or the working directory. */
  readonly directory: string;
}

/** A server that the transport of a plugin reaches. */
export interface PluginTarget {
  readonly transport: 'plugin';
  /** The plugin's name for the transport. */
  readonly name: string;
  /** The options for the transport. Texts may be references, which are resolved when the server connects. */
  readonly options: JsonObject;
}
