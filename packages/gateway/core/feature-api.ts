import type { JsonObject } from '../../contract/json.ts';
import type { CatalogEntry } from '../../toolwharf/catalog/catalog.ts';
import type { CallPolicy } from '../../toolwharf/invocation/authorize.ts';
import type { Caller } from '../../toolwharf/kernel/tool.ts';

/** Names the ports of a feature, for its own routes and those of features that need it. */
export interface PortsKey<Ports> {
  readonly feature: string;
  /** Only the type is used. */
  readonly ports?: Ports;
}

/** The part of a feature that belongs to the REST API. */
export interface FeatureApi<Ports = unknown> {
  /** As those of an open feature, for features that are loaded with the API. */
  readonly ports?: Ports;
  /** The policy of a caller of this feature, for calls that others make in its name; undefined for other callers. */
  policyOf?(caller: Caller): Promise<((entry: CatalogEntry) => CallPolicy) | undefined>;
  /** Settings that a server from a public registry gets when a person adds it. */
  settingsForPublished?(server: JsonObject): Promise<JsonObject>;
  /** Stops the running work of a person who has lost their access. */
  stopUser?(id: string): Promise<void>;
  /** Removes what belongs to a person. */
  removeUser?(id: string): Promise<void>;
  close?(): void | Promise<void>;
}

/** The ports of a feature; throws if it is switched off. */
export type PortsOf = <Ports>(key: PortsKey<Ports>) => Ports;
