import type { JsonObject } from '../../../contract/json.ts';
import type { ActiveRoute } from '../../../toolwharf/plugins/plugin-set.ts';
import { createCallStats } from '../calls/call-stats.ts';
import type { FeatureCore, OpenFeatures } from '../feature.ts';
import { type Api, createApi } from './app.ts';
import { coreRoutes } from './core-routes.ts';
import { toOpenApi } from './openapi.ts';
import { toRoute } from './plugin-routes.ts';
import type { ApiPorts } from './route.ts';

export interface RestApiPorts {
  readonly core: Omit<FeatureCore, 'of'>;
  readonly features: OpenFeatures;
  readonly info: Pick<ApiPorts['gateway'], 'startedAt' | 'features' | 'configError'>;
}

/** Creates the routes under `/api`. Most code of the gateway is behind this import. */
export async function openRestApi({ core, features, info }: RestApiPorts): Promise<Api> {
  const { toolbox, storage, log, stopping, security, limits, fleet, frames, mcp, calls } = core;
  const { events, servers, profiles } = core;
  const apis = await features.openApis();
  const routes = [...coreRoutes, ...apis.routes];
  let document: { readonly openApi: JsonObject; readonly ofPlugins: readonly ActiveRoute[] } | undefined;
  return createApi(routes, {
    ...{ toolbox, storage, log, stopping, fleet, frames, events, security, limits, servers, profiles },
    features: apis.all,
    of: apis.of,
    calls: { ...calls, stats: createCallStats({ storage }) },
    gateway: {
      ...core.process,
      ...info,
      mcp,
      openApi: () => {
        const ofPlugins = toolbox.pluginRoutes();
        if (document?.ofPlugins !== ofPlugins)
          document = { openApi: toOpenApi([...routes, ...ofPlugins.map(toRoute)]), ofPlugins };
        return document.openApi;
      },
    },
  });
}
