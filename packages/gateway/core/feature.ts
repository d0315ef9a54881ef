import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Plugin } from '../../toolwharf/plugins/plugin.ts';
import type { FeaturePlugin } from '../../toolwharf/plugins/plugin-set.ts';
import type { Identity } from './auth/identity.ts';
import type { CorePorts, StartParts } from './core-ports.ts';
import type { EventLog } from './events/event-log.ts';
import type { FeatureApi, PortsKey, PortsOf } from './feature-api.ts';
import type { RouteParts } from './gateway-parts.ts';
import type { McpParts } from './mcp/mcp-parts.ts';
import type { StoredProfiles } from './profiles/stored-profiles.ts';
import type { Replicas, ReplicasPorts } from './replicas/replicas.ts';
import type { Route, ServerPorts } from './rest/route.ts';

/** A part of the gateway that can be removed: its folder, and its line in `features/index.ts`. */
export interface Feature<Ports = unknown> {
  readonly name: string;
  /** The names of the features whose ports this one uses. Only these may be imported. */
  readonly needs?: readonly string[];
  /** Is of use only to other programs and people, so that a gateway that does not listen leaves it out. */
  readonly servesOthers?: boolean;
  /** Connects the gateway with the other replicas on its database, before anything else starts. */
  readonly replicas?: (ports: ReplicasPorts) => Promise<Replicas>;
  /** Paths that it serves and that pages of any origin may read, without the identity of the visitor. */
  readonly publicPaths?: readonly RegExp[];
  /** Plugins that need nothing but the configuration, so that a toolbox of the command line has them without a gateway. */
  readonly plugins?: (parts: Pick<StartParts, 'env'>) => readonly Plugin[];
  /** Supplies ports of the core and plugins, before the servers start. */
  readonly start?: (parts: StartParts) => StartedFeature<Ports>;
  /** What it adds to MCP endpoints. */
  readonly mcp?: McpParts;
  /** Opens with the gateway, before it listens. Heavy modules are imported on first use. */
  readonly open?: (core: FeatureCore) => OpenFeature<Ports> | Promise<OpenFeature<Ports>>;
  /** The routes under `/api`, imported with the first request of the API. */
  readonly routes?: () => Promise<readonly Route[]>;
  /** Opens what only the API needs, with its first request. */
  readonly openApi?: (core: FeatureCore) => Promise<FeatureApi<Ports>>;
}

/** A feature that has started. */
export interface StartedFeature<Ports = unknown> {
  readonly core?: CorePorts;
  /** Plugins, which are used after those of the configuration. */
  readonly plugins?: readonly Plugin[];
  /** As that of the feature, for features that keep something from their start. */
  readonly open?: Feature<Ports>['open'];
}

/** What the core offers to features. */
export interface FeatureCore extends RouteParts {
  /** The ports of a feature that has opened. */
  readonly of: PortsOf;
  readonly events: EventLog;
  readonly servers: ServerPorts;
  readonly profiles: StoredProfiles;
  /** Loads the REST API, and with it the `api` of every feature. */
  openApi(): Promise<void>;
}

/** A feature of a running gateway. */
export interface OpenFeature<Ports = unknown> {
  /** The ports that its routes, and routes of features that need it, use, by their `PortsKey`. */
  readonly ports?: Ports;
  /** Serves a request outside `/api` and `/mcp`; false, or a promise of it, for requests that are not for this feature. */
  serve?(request: IncomingMessage, response: ServerResponse, context: RequestContext): boolean | Promise<boolean>;
  /** Ends running work while the toolbox and the store are still open. */
  close?(): void | Promise<void>;
}

export interface RequestContext {
  readonly path: string;
  readonly identity: Identity | undefined;
}

/** The features of a running gateway. */
export interface OpenFeatures {
  /** Resolves with false if no feature serves the request. */
  serve(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<boolean>;
  /** Loads the routes of all features. */
  openApis(): Promise<FeatureApis>;
  close(): Promise<void>;
}

export interface FeatureApis {
  readonly routes: readonly Route[];
  readonly all: readonly FeatureApi[];
  readonly of: PortsOf;
}

/** Opens the features in the order of their list. */
export async function openFeatures(features: readonly Feature[], core: Omit<FeatureCore, 'of'>): Promise<OpenFeatures> {
  const opened = new Map<string, OpenFeature>();
  const apis = new Map<string, FeatureApi>();
  /** Closes all of them, also if one fails. */
  const close = async () => {
    const closing = [...apis.values(), ...opened.values()].toReversed().map(async (one) => one.close?.());
    const failed = (await Promise.allSettled(closing)).find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
  };
  const of: PortsOf = <Ports>({ feature }: PortsKey<Ports>) => {
    const ports = apis.get(feature)?.ports ?? opened.get(feature)?.ports;
    if (ports === undefined) throw new Error(`The feature ${feature} is switched off`);
    return ports as Ports;
  };
  const offered: FeatureCore = { ...core, of };
  try {
    for (const { name, open } of features) if (open) opened.set(name, await open(offered));
  } catch (cause) {
    await close();
    throw cause;
  }
  return {
    async serve(request, response, context) {
      for (const { serve } of opened.values()) if (await serve?.(request, response, context)) return true;
      return false;
    },
    async openApis() {
      for (const { name, openApi } of features) if (openApi && !apis.has(name)) apis.set(name, await openApi(offered));
      return {
        routes: await loadRoutes(features),
        all: [...apis.values()],
        of,
      };
    },
    close,
  };
}

/** What the features add to MCP endpoints. */
export function gatherMcpParts(features: readonly Feature[]): McpParts {
  return Object.assign({}, ...features.map(({ mcp }) => mcp));
}

/** Starts the features. Those that keep something from their start open with it. */
export function startFeatures(features: readonly Feature[], parts: StartParts): StartedFeatures {
  const started = features.map((feature) => ({ feature, ...feature.start?.(parts) }));
  return {
    core: Object.assign({}, ...started.map(({ core }) => core)),
    plugins: started.flatMap(({ feature, plugins = [] }) => [
      ...pluginsOf([feature], parts),
      ...plugins.map((plugin) => ({ feature: feature.name, plugin })),
    ]),
    features: started.map(({ feature, open = feature.open }) => ({ ...feature, open })),
  };
}

/** The plugins of features that need no gateway. */
export function pluginsOf(features: readonly Feature[], parts: Pick<StartParts, 'env'>): readonly FeaturePlugin[] {
  return features.flatMap(({ name, plugins }) => plugins?.(parts).map((plugin) => ({ feature: name, plugin })) ?? []);
}

export interface StartedFeatures {
  readonly core: CorePorts;
  readonly plugins: readonly FeaturePlugin[];
  readonly features: readonly Feature[];
}

/** The routes of the features under `/api`. */
export async function loadRoutes(features: readonly Feature[]): Promise<readonly Route[]> {
  return (await Promise.all(features.map(({ routes }) => routes?.() ?? []))).flat();
}
