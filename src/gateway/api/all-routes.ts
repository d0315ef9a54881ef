import type { Route } from './route.ts';
import { accountRoutes } from './routes/accounts.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { appRoutes } from './routes/apps.ts';
import { assistantRoutes } from './routes/assistants.ts';
import { auditRoutes } from './routes/audit.ts';
import { callRoutes } from './routes/calls.ts';
import { conversationRoutes } from './routes/conversations.ts';
import { eventRoutes } from './routes/events.ts';
import { fleetRoutes } from './routes/fleet.ts';
import { keyRoutes } from './routes/keys.ts';
import { profileRoutes } from './routes/profiles.ts';
import { providerRoutes } from './routes/providers.ts';
import { questionRoutes } from './routes/questions.ts';
import { registryRoutes } from './routes/registry.ts';
import { savedRequestRoutes } from './routes/saved-requests.ts';
import { scriptRoutes } from './routes/scripts.ts';
import { serverContentRoutes } from './routes/server-content.ts';
import { serverRoutes } from './routes/servers.ts';
import { sessionRoutes } from './routes/session.ts';
import { settingsRoutes } from './routes/settings.ts';
import { signInRoutes } from './routes/sign-ins.ts';
import { skillRoutes } from './routes/skills.ts';
import { toolOverrideRoutes } from './routes/tool-overrides.ts';
import { toolRoutes } from './routes/tools.ts';
import { trafficRoutes } from './routes/traffic.ts';
import { userRoutes } from './routes/users.ts';

/** Every route of the API: validation, rights and the OpenAPI document all derive from this table. */
export const allRoutes: readonly Route[] = [
  ...serverRoutes,
  ...serverContentRoutes,
  ...trafficRoutes,
  ...signInRoutes,
  ...accountRoutes,
  ...registryRoutes,
  ...toolRoutes,
  ...toolOverrideRoutes,
  ...skillRoutes,
  ...callRoutes,
  ...appRoutes,
  ...savedRequestRoutes,
  ...approvalRoutes,
  ...questionRoutes,
  ...conversationRoutes,
  ...assistantRoutes,
  ...providerRoutes,
  ...profileRoutes,
  ...scriptRoutes,
  ...settingsRoutes,
  ...fleetRoutes,
  ...auditRoutes,
  ...keyRoutes,
  ...userRoutes,
  ...sessionRoutes,
  ...eventRoutes,
];
