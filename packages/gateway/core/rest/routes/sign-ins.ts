import { signInRoutes as routes } from '../../../../contract/routes/sign-ins.ts';
import { findServer } from '../access.ts';
import { implement } from '../route.ts';

export const signInRoutes = [
  implement(routes.getSignIn, {
    access: findServer,
    async handle({ resource }, { toolbox }) {
      const state = await toolbox.servers.signInState(resource.name);
      return { usesOAuth: state !== undefined, attempts: [], ...state };
    },
  }),
  implement(routes.signOut, {
    access: findServer,
    handle: ({ resource }, { toolbox }) => toolbox.servers.signOut(resource.name),
  }),
];
