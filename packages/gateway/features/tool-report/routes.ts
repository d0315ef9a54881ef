import { ToolwharfError } from '../../../contract/errors.ts';
import { toolReportRoutes as routes } from '../../../contract/routes/tool-report.ts';
import { implement } from '../../core/rest/route.ts';
import { reportTools } from './report-tools.ts';

const dayMs = 86_400_000;

export const toolReportRoutes = [
  implement(routes.reportTools, {
    async handle({ query: { days, server } }, { toolbox, storage, servers }) {
      await servers.waitForStart();
      const { servers: all, catalog } = toolbox;
      if (server !== undefined && !all.get(server))
        throw new ToolwharfError('NOT_FOUND', `There is no server '${server}'`, { data: { server } });
      const until = Date.now();
      const report = await reportTools({
        ...{ entries: catalog.entries, storage, until, since: until - days * dayMs },
        describeServer: (name) => all.get(name)?.description,
      });
      if (server === undefined) return report;
      return { ...report, tools: report.tools.filter((tool) => tool.server === server) };
    },
  }),
];
