import { createPolicyPlugin } from '../../../toolwharf/features/policy/policy-plugin.ts';
import type { Feature } from '../../core/feature.ts';

/** Conditions over calls that deny, ask or hide. */
export const policy: Feature = {
  name: 'policy',
  plugins: () => [createPolicyPlugin()],
  routes: async () => (await import('./routes.ts')).policyRoutes,
};
