import { loadRoutes } from '../core/feature.ts';
import { coreRoutes } from '../core/rest/core-routes.ts';
import type { Route } from '../core/rest/route.ts';
import { features } from './index.ts';

/** Every route of the API of a gateway with all features. */
export const allRoutes: readonly Route[] = [...coreRoutes, ...(await loadRoutes(features))];
