import { createPolicyPlugin } from '../../../toolwharf/features/policy/policy-plugin.ts';
import type { Feature } from '../../core/feature.ts';
import { createStoredRules, createStoredRulesPlugin, type StoredRules } from './stored-rules.ts';

/** Conditions over calls that deny, ask or hide: those of the configuration, and those that administrators store. */
export const policy: Feature<StoredRules> = {
  name: 'policy',
  plugins: () => [createPolicyPlugin()],
  start() {
    const { plugin, set } = createStoredRulesPlugin();
    return {
      plugins: [plugin],
      async open({ toolbox, storage, fleet, log }) {
        // Calls are judged with the stored rules from the start.
        const rules = createStoredRules({ toolbox, store: storage.policy_rules, use: set, log });
        await rules.reload();
        fleet.onChange('policy_rules', rules.reload);
        return { ports: rules };
      },
    };
  },
  routes: async () => (await import('./routes.ts')).policyRoutes,
};
