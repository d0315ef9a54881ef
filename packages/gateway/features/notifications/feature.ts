import { definePlugin } from '../../../toolwharf/plugins/plugin.ts';
import type { ApprovalRequest } from '../../../toolwharf/policy/approval.ts';
import { createPersons } from '../../core/auth/persons.ts';
import { mayUse, toIdentity } from '../../core/auth/users.ts';
import type { Feature } from '../../core/feature.ts';
import { answerMessage, assertRecipient } from './answer-message.ts';
import { createApprovalWebhook } from './approval-webhook.ts';
import { createLinks } from './links.ts';
import { openMessageRecords } from './message-records.ts';
import { createNotifier, type Notifier } from './notifier.ts';
import type { LinkPorts } from './ports.ts';
import { createSlackActions } from './slack-actions.ts';

/** Tells people outside the app about approvals. */
export const notifications: Feature<LinkPorts> = {
  name: 'notifications',
  servesOthers: true,
  start({ config, storage, env, log, stopping, returnUrl, sessionKey }) {
    const { users, keys } = storage;
    const { personOf } = createPersons({ users, keys, jwt: () => config().gateway.jwt });
    const channels = () => config().gateway.notifications ?? [];
    const links = createLinks(sessionKey);
    let notifier: Notifier | undefined;
    return {
      plugins: [
        createApprovalWebhook({ webhook: () => config().gateway.webhook, env, log, stopping, personOf }),
        definePlugin({
          name: 'toolwharf.messages',
          notify: ({ type }) => (type === 'approval.waiting' ? notifier?.wake() : undefined),
        }),
      ],
      open({ security, calls }) {
        const records = openMessageRecords(storage, { now: Date.now });
        const ports = { storage, log, security, calls };
        notifier = createNotifier({
          ...{ channels, storage, personOf, env, log, stopping },
          linkFor(message) {
            const url = config().gateway.url ?? returnUrl();
            return url === undefined ? undefined : `${new URL(url).origin}/answer/${links.sign(message)}`;
          },
          async findRecipients(request: ApprovalRequest, to: readonly string[] | undefined) {
            const people = (await users.list()).filter(mayUse);
            const mayAnswer = new Map<string, boolean>();
            for (const person of people) {
              const email = person.email?.toLowerCase();
              if (email === undefined || mayAnswer.get(email)) continue;
              const identity = await toIdentity(person, storage.roles);
              mayAnswer.set(email, (await security.ownership.answerRight(identity, request)) !== 'none');
            }
            // People who have not signed in yet get a message too: what they may answer is decided when they do.
            return to === undefined
              ? [...mayAnswer].flatMap(([email, may]) => (may ? email : []))
              : [...new Set(to.map((email) => email.toLowerCase()))].filter((email) => mayAnswer.get(email) !== false);
          },
        });
        const slack = createSlackActions({
          ...{ channels, users, roles: storage.roles, env, log, stopping },
          async answer(id, answer, identity, channel) {
            const record = await records.findMessage(id);
            const own = record?.channel === channel ? record : undefined;
            return answerMessage(await assertRecipient(own, identity, ports), answer, { identity, records, ports });
          },
        });
        return {
          ports: {
            find: async (link) => {
              const id = links.verify(link);
              return id === undefined ? undefined : records.findMessage(id);
            },
            answer: (record, answer, identity) => answerMessage(record, answer, { identity, records, ports }),
          },
          serve: (request, response, { path }) => slack.serve(request, response, path),
          close: () => notifier?.close(),
        };
      },
    };
  },
  routes: async () => (await import('./routes.ts')).linkRoutes,
};
