import { accountRoutes } from './accounts.ts';
import { approvalRoutes } from './approvals.ts';
import { appRoutes } from './apps.ts';
import { assistantRoutes } from './assistants.ts';
import { auditRoutes } from './audit.ts';
import { budgetRoutes } from './budgets.ts';
import { callRoutes } from './calls.ts';
import { conversationRoutes } from './conversations.ts';
import { elevationRoutes } from './elevations.ts';
import { eventRoutes } from './events.ts';
import { fleetRoutes } from './fleet.ts';
import { keyRoutes } from './keys.ts';
import { notificationRoutes } from './notifications.ts';
import { policyRoutes } from './policy.ts';
import { profileRoutes } from './profiles.ts';
import { providerRoutes } from './providers.ts';
import { questionRoutes } from './questions.ts';
import { registryRoutes } from './registry.ts';
import { roleRoutes } from './roles.ts';
import { sandboxRoutes } from './sandbox.ts';
import { savedRequestRoutes } from './saved-requests.ts';
import { scriptRoutes } from './scripts.ts';
import { serverContentRoutes } from './server-content.ts';
import { serverRoutes } from './servers.ts';
import { sessionRoutes } from './session.ts';
import { settingsRoutes } from './settings.ts';
import { signInRoutes } from './sign-ins.ts';
import { skillRoutes } from './skills.ts';
import { toolOverrideRoutes } from './tool-overrides.ts';
import { toolReportRoutes } from './tool-report.ts';
import { toolRoutes } from './tools.ts';
import { trafficRoutes } from './traffic.ts';
import { userRoutes } from './users.ts';

/** Every route of the API, by operation id. */
export const apiRoutes = {
  ...serverRoutes,
  ...serverContentRoutes,
  ...signInRoutes,
  ...toolRoutes,
  ...toolOverrideRoutes,
  ...callRoutes,
  ...savedRequestRoutes,
  ...approvalRoutes,
  ...questionRoutes,
  ...profileRoutes,
  ...settingsRoutes,
  ...auditRoutes,
  ...keyRoutes,
  ...userRoutes,
  ...roleRoutes,
  ...sessionRoutes,
  ...eventRoutes,
  ...accountRoutes,
  ...appRoutes,
  ...assistantRoutes,
  ...conversationRoutes,
  ...elevationRoutes,
  ...fleetRoutes,
  ...notificationRoutes,
  ...policyRoutes,
  ...budgetRoutes,
  ...providerRoutes,
  ...registryRoutes,
  ...sandboxRoutes,
  ...scriptRoutes,
  ...skillRoutes,
  ...toolReportRoutes,
  ...trafficRoutes,
};
