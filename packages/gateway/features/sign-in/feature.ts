import { createConfiguredAddress } from '../../core/auth/client-address.ts';
import type { Feature } from '../../core/feature.ts';
import { createBackchannelLogout } from './backchannel-logout.ts';
import { createSignInParts } from './sign-in-parts.ts';
import { createSignInRoutes } from './sign-in-routes.ts';
import { createSignOutRoute } from './sign-out-route.ts';

/** People sign in at an identity provider (OpenID Connect). */
export const signIn: Feature = {
  name: 'sign-in',
  servesOthers: true,
  start({ config, host, env, sessionKey, storage: { users, roles } }) {
    const parts = createSignInParts({ settings: () => config().gateway, host, env, sessionKey, users, roles });
    return {
      core: { signIn: parts },
      open({ toolbox, storage, security, log }) {
        const ports = { ...security, ...parts, storage, clientAddress: createConfiguredAddress(toolbox), log };
        const [begin, end] = [createSignInRoutes(ports), createSignOutRoute(ports)];
        const endAtProvider = createBackchannelLogout(ports);
        return {
          serve: async (request, response, { path }) =>
            parts.resource.serve(request, response, path) ||
            (await begin(request, response, path)) ||
            (await end(request, response, path)) ||
            (await endAtProvider(request, response, path)),
        };
      },
    };
  },
};
