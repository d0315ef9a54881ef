import { ToolwharfError } from '../../../contract/errors.ts';
import { sandboxRoutes as routes } from '../../../contract/routes/sandbox.ts';
import { findServer } from '../../core/rest/access.ts';
import { type ApiPorts, implement } from '../../core/rest/route.ts';
import { startLearning } from './sandbox-plugin.ts';
import { listProgramServers, type ProgramServer, readState } from './sandbox-state.ts';
import { openSandboxRecords } from './stored-profile.ts';

export const sandboxRoutes = [
  implement(routes.listSandboxes, {
    async handle(_request, ports) {
      const servers = await listProgramServers(ports);
      return { servers: await Promise.all(servers.map((server) => readState(server, ports))) };
    },
  }),
  implement(routes.getSandbox, {
    access: findServer,
    handle: async ({ resource: { name } }, ports) => readState(await findProgram(name, ports), ports),
  }),
  implement(routes.learnSandbox, {
    access: findServer,
    async handle({ resource: { name }, body: { enabled } }, ports) {
      const server = await findProgram(name, ports);
      const learning = enabled ? startLearning() : undefined;
      await openSandboxRecords(ports.storage).change(name, (record) => ({ ...record, learning }));
      await restart(server, ports);
      return readState(server, ports);
    },
  }),
  implement(routes.acceptSandbox, {
    access: findServer,
    async handle({ resource: { name }, body: { read = [], write = [], network = [] }, identity: { caller } }, ports) {
      const server = await findProgram(name, ports);
      const accepted = {
        profile: { read, write, network },
        at: new Date().toISOString(),
        by: caller.name ?? caller.id,
      };
      await openSandboxRecords(ports.storage).change(name, ({ learning: _, ...record }) => ({
        ...record,
        accepted: { ...accepted, program: record.program },
      }));
      await restart(server, ports);
      return readState(server, ports);
    },
  }),
];

async function findProgram(name: string, ports: ApiPorts): Promise<ProgramServer> {
  const found = (await listProgramServers(ports)).find(({ spec }) => spec.name === name);
  if (found) return found;
  throw new ToolwharfError('NOT_FOUND', `Server '${name}' has no program, so that it has no sandbox`, {
    data: { server: name },
  });
}

/** Starts the program anew with the changed profile. What is stored stays if it cannot start. */
async function restart({ spec }: ProgramServer, { toolbox, log }: ApiPorts): Promise<void> {
  if (!spec.enabled) return;
  try {
    await toolbox.servers.disconnect(spec.name);
    await toolbox.servers.connect(spec.name);
  } catch (cause) {
    const message = `Server '${spec.name}' did not start with its changed sandbox; its state says why`;
    log.warning('sandbox.not-restarted', message, { server: spec.name, cause: String(cause) });
  }
}
