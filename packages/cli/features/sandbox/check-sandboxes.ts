import { ToolwharfError } from '../../../contract/errors.ts';
import { findSandboxProblem } from '../../../gateway/features/sandbox/bubblewrap.ts';
import { findCommand } from '../../../gateway/features/sandbox/program-files.ts';
import type { GatewayClient } from '../../core/client/gateway-client.ts';
import { type DoctorCheck, type Finding, failed, passed } from '../../core/commands/doctor/check-system.ts';
import { MissingRouteError } from '../../core/errors.ts';
import { oneLine } from '../../core/terminal/format.ts';

/** Checks that sandboxes work where programs of servers need them. A running gateway checks its own machine. */
export const checkSandboxes: DoctorCheck = async ({ client, config, env }) => {
  if (client) {
    const states = await listUsed(client);
    return describe(namesOf(states, 'enforce'), namesOf(states, 'learn'), {
      problem: states.find(({ problem }) => problem !== undefined)?.problem,
      watchesFiles: states.every(({ watchesFiles }) => watchesFiles),
    });
  }
  const byDefault = config?.gateway.sandbox.default ?? 'off';
  const programs = (config?.servers ?? []).filter(({ enabled, target }) => enabled && target.transport === 'stdio');
  const used = programs.map(({ name, sandbox }) => ({ server: name, mode: sandbox?.mode ?? byDefault }));
  if (byDefault !== 'off') used.push({ server: 'gateway.sandbox.default', mode: byDefault });
  if (used.every(({ mode }) => mode === 'off')) return [];
  return describe(namesOf(used, 'enforce'), namesOf(used, 'learn'), {
    problem: await findSandboxProblem(env.PATH),
    watchesFiles: (await findCommand('strace', env.PATH)) !== undefined,
  });
};

/** The sandboxes of enabled servers; none if the gateway has no such feature, or its caller may not see them. */
async function listUsed(client: GatewayClient) {
  try {
    const [{ servers: states }, { servers }] = await Promise.all([client.listSandboxes(), client.listServers()]);
    const enabled = new Set(servers.filter((server) => server.enabled).map(({ name }) => name));
    return states.filter(({ server, mode }) => mode !== 'off' && enabled.has(server));
  } catch (cause) {
    const isForbidden = cause instanceof ToolwharfError && cause.code === 'FORBIDDEN';
    if (cause instanceof MissingRouteError || isForbidden) return [];
    throw cause;
  }
}

function describe(
  limited: readonly string[],
  learning: readonly string[],
  { problem, watchesFiles }: { readonly problem?: string; readonly watchesFiles: boolean },
): readonly Finding[] {
  const names = [...limited, ...learning].join(', ');
  if (names === '') return [];
  const subject = 'sandboxes';
  if (problem !== undefined) return [failed(subject, `needed by ${names}: ${problem}`)];
  const works = passed(subject, `can be created, for ${names}`);
  if (learning.length === 0 || watchesFiles) return [works];
  const message = `strace is not installed, so that only hosts are learned: ${learning.join(', ')}`;
  return [works, failed(subject, message, 'install the package strace')];
}

function namesOf(used: readonly { readonly server: string; readonly mode: string }[], mode: string): readonly string[] {
  return used.filter((one) => one.mode === mode).map(({ server }) => oneLine(server));
}
