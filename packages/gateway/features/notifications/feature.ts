import { createPersons } from '../../core/auth/persons.ts';
import type { Feature } from '../../core/feature.ts';
import { createApprovalWebhook } from './approval-webhook.ts';

/** Tells people outside the app about approvals. */
export const notifications: Feature = {
  name: 'notifications',
  servesOthers: true,
  start({ config, storage: { users, keys }, env, log, stopping }) {
    const { personOf } = createPersons({ users, keys, jwt: () => config().gateway.jwt });
    return {
      plugins: [createApprovalWebhook({ webhook: () => config().gateway.webhook, env, log, stopping, personOf })],
    };
  },
};
