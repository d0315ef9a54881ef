import type { Feature } from '../../core/feature.ts';
import { cardPath, createOwnRegistry, registryPaths } from './own-registry.ts';

/** The gateway as the registry of its servers, for clients that list what an organisation has approved. */
export const ownRegistry: Feature = {
  name: 'own-registry',
  servesOthers: true,
  publicPaths: [registryPaths, new RegExp(`^${cardPath.replaceAll('.', '\\.')}$`)],
  start({ returnUrl, config }) {
    return {
      open({ toolbox }) {
        const serve = createOwnRegistry({
          toolbox,
          origin: () => {
            const url = config().gateway.url ?? returnUrl();
            return url === undefined ? undefined : new URL(url).origin;
          },
        });
        return { serve: (request, response, { path, identity }) => serve(request, response, path, identity) };
      },
    };
  },
};
