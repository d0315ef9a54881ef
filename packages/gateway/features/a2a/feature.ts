import type { Feature } from '../../core/feature.ts';
import { taskPorts } from '../tasks/ports.ts';
import { createA2aRoutes } from './a2a-routes.ts';

/** The gateway as an agent whose skills are the tools. */
export const a2a: Feature = {
  name: 'a2a',
  servesOthers: true,
  needs: ['tasks'],
  open({ toolbox, calls: { hosts }, mcp: { viewOf }, traces, sessionKey, log, admit, waitForTools, of }) {
    const tasks = of(taskPorts);
    const routes = createA2aRoutes({ toolbox, hosts, viewOf, traces, tasks, sessionKey, log, waitForTools }, admit);
    return {
      serve: (request, response, { identity }) => routes.serve(request, response, identity),
    };
  },
};
