import { notificationRoutes as routes } from '../../../contract/routes/notifications.ts';
import { findApproval } from '../../core/rest/access.ts';
import { type ApiPorts, type ApiRequest, implement } from '../../core/rest/route.ts';
import { showApproval } from '../../core/rest/routes/approvals.ts';
import { assertRecipient } from './answer-message.ts';
import { linkPorts } from './ports.ts';

/** The approvals behind the link of a message. */
export const linkRoutes = [
  implement(routes.getApprovalLink, {
    access: findMessage,
    async handle({ identity, resource }, ports) {
      const found = await Promise.all(
        resource.approvals.map((approval) =>
          // Approvals that the person may not see are left out.
          findApproval({ identity, params: { approval } }, ports).catch(() => undefined),
        ),
      );
      const records = found.filter((record) => record !== undefined);
      return {
        channel: resource.channel,
        approvals: await Promise.all(records.map((record) => showApproval(record, identity, ports))),
      };
    },
  }),
  implement(routes.answerApprovalLink, {
    access: findMessage,
    handle: async ({ identity, body, resource }, ports) => ({
      answered: await ports.of(linkPorts).answer(resource, body.answer, identity),
    }),
  }),
];

async function findMessage(
  { params, identity }: Pick<ApiRequest<{ readonly link: string }>, 'params' | 'identity'>,
  ports: ApiPorts,
) {
  return assertRecipient(await ports.of(linkPorts).find(params.link), identity, ports);
}
