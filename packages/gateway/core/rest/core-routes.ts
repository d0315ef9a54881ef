import type { Route } from './route.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { auditRoutes } from './routes/audit.ts';
import { callRoutes } from './routes/calls.ts';
import { eventRoutes } from './routes/events.ts';
import { keyRoutes } from './routes/keys.ts';
import { profileRoutes } from './routes/profiles.ts';
import { questionRoutes } from './routes/questions.ts';
import { roleRoutes } from './routes/roles.ts';
import { savedRequestRoutes } from './routes/saved-requests.ts';
import { serverContentRoutes } from './routes/server-content.ts';
import { serverRoutes } from './routes/servers.ts';
import { sessionRoutes } from './routes/session.ts';
import { settingsRoutes } from './routes/settings.ts';
import { signInRoutes } from './routes/sign-ins.ts';
import { toolOverrideRoutes } from './routes/tool-overrides.ts';
import { toolRoutes } from './routes/tools.ts';
import { userRoutes } from './routes/users.ts';

/** The routes of the core: validation, rights and the OpenAPI document derive from this table and those of the features. */
export const coreRoutes: readonly Route[] = [
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
];
