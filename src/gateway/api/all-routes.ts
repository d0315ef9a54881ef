import type { Route } from './route.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { assistantRoutes } from './routes/assistants.ts';
import { callRoutes } from './routes/calls.ts';
import { conversationRoutes } from './routes/conversations.ts';
import { documentRoutes } from './routes/document.ts';
import { eventRoutes } from './routes/events.ts';
import { keyRoutes } from './routes/keys.ts';
import { providerRoutes } from './routes/providers.ts';
import { questionRoutes } from './routes/questions.ts';
import { registryRoutes } from './routes/registry.ts';
import { serverContentRoutes } from './routes/server-content.ts';
import { serverRoutes } from './routes/servers.ts';
import { sessionRoutes } from './routes/session.ts';
import { settingsRoutes } from './routes/settings.ts';
import { toolFormatRoutes } from './routes/tool-formats.ts';
import { toolRoutes } from './routes/tools.ts';

/** Every route of the API. Requests are checked by it, rights are taken from it, and the document is made of it. */
export const allRoutes: readonly Route[] = [
  ...serverRoutes,
  ...serverContentRoutes,
  ...registryRoutes,
  ...toolRoutes,
  ...toolFormatRoutes,
  ...callRoutes,
  ...approvalRoutes,
  ...questionRoutes,
  ...conversationRoutes,
  ...assistantRoutes,
  ...providerRoutes,
  ...settingsRoutes,
  ...keyRoutes,
  ...sessionRoutes,
  ...eventRoutes,
  ...documentRoutes,
];
